// Numbers as text, and the beta distribution that error bars of probabilities come from.

export function two(p) {
  return p.toFixed(2);
}

// What rounds to 0 or 1 without being it says so.
export function careful(p) {
  if (p > 0 && p < 0.005) return "below 0.01";
  if (p < 1 - 1e-12 && p >= 0.995) return "above 0.99";
  return two(p);
}

export function span(low, high) {
  return `${two(low)} to ${two(high)}`;
}

export function withSpan(bar) {
  return `${two(bar.p)} (${span(bar.low, bar.high)})`;
}

// With a third digit where two say little.
export function fine({ p, low, high }) {
  const digits = p < 0.1 ? 3 : 2;
  return `${p.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

export function short(x) {
  if (x === 0) return "0";
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-3 ? x.toExponential(1) : String(Number(x.toPrecision(4 + Math.max(0, Math.ceil(Math.log10(size)) - 3))));
}

export function counted(n, thing) {
  return n === 1 ? `1 ${thing}` : `${n.toLocaleString("en")} ${thing}s`;
}

// The standard deviation of Beta(1 + n p, 1 + n (1 - p)).
export function betaSd(p, n) {
  const a = 1 + n * p, b = 1 + n * (1 - p);
  return Math.sqrt((a * b) / (a + b + 1)) / (a + b);
}

// Where the truth lies with 95 %, never without p itself.
export function betaSpan(p, n) {
  const a = 1 + n * p, b = 1 + n * (1 - p);
  return [Math.min(p, quantile(a, b, 0.025)), Math.max(p, quantile(a, b, 0.975))];
}

function quantile(a, b, q) {
  let low = 0, high = 1;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (incompleteBeta(a, b, middle) < q) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

// The share of Beta(a, b) below x, by its continued fraction, on the side where that is quick.
function incompleteBeta(a, b, x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x);
  const front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(front) * fraction(a, b, x)) / a;
}

// 1 / (1 + d1 / (1 + d2 / (1 + ...))), evaluated from its beginning (Lentz).
function fraction(a, b, x) {
  const tiny = 1e-300;
  let c = 1, d = 1 / (1 - ((a + b) * x) / (a + 1) || tiny), product = d;
  for (let m = 1; m < 100000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const term of [even, odd]) {
      d = 1 / (1 + term * d || tiny);
      c = 1 + term / c || tiny;
      product *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-13) break;
  }
  return product;
}

// Stirling's series, after going up to where it is exact to rounding.
function logGamma(x) {
  let shift = 0;
  while (x < 12) shift -= Math.log(x++);
  const r = 1 / (x * x);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / x;
  return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
}
