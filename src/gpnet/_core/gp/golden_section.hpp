// The largest value of a function with one peak.
#pragma once

namespace gpnet {

// Each of n steps cuts the interval to 0.62 of its width.
template <typename Function>
double golden_section(const Function& value, double low, double high, int n) {
  constexpr double golden = 0.6180339887498949;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = value(left), at_right = value(right);
  for (int k = 0; k < n; ++k) {
    if (at_left > at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = value(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = value(right);
    }
  }
  return at_left > at_right ? left : right;
}

}  // namespace gpnet
