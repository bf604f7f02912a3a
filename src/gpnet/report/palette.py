"""The colours of all pictures; imports nothing.

Okabe & Ito's, which people of every colour vision tell apart, and greys. What is drawn never
depends on colour alone.
"""

from typing import Final

BLUE: Final = "#0072b2"  # what was learned: edges, means, bars
VERMILION: Final = "#d55e00"  # what to look at: a limit, the largest difference
ORANGE: Final = "#e69f00"
SKY: Final = "#56b4e9"
GREEN: Final = "#009e73"
PURPLE: Final = "#cc79a7"

INK: Final = "#1c2329"  # names
GREY: Final = "#7b858e"  # what is there for comparison
FAINT: Final = "#d3d8dd"  # lines that only guide the eye
PAPER: Final = "#f6f8fa"  # the inside of a node

CHAINS: Final = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)  # one after another
# From nothing to certain, the lightness falling evenly; for heat maps.
PROBABILITY: Final = ("#ffffff", "#d6e6f2", "#9cc6e2", "#5aa2cf", "#1f78b4", "#0a4c82", "#062f55")
