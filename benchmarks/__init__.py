"""Speed as ratios, each measured in one run against a stated opponent; `make bench`."""
