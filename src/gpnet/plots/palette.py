"""The colours of all pictures; imports nothing.

Most are Okabe & Ito's, which people of every colour vision tell apart. Whatever is written in one
of them can be read on white, or on a dark ground in its *_DARK.
"""

from typing import Final

ACCENT: Final = "#0072b2"  # what was learned: edges, means, bars
ACCENT_DARK: Final = "#7ab8f0"
SECOND: Final = "#b35806"  # what differs, what to look at
SECOND_DARK: Final = "#f0a860"

INK: Final = "#1c2329"  # names
GREY: Final = "#69737c"  # what is there for comparison
FAINT: Final = "#d3d8dd"  # lines that only guide the eye
PAPER: Final = "#f6f8fa"  # the inside of a node

CHAINS: Final = (ACCENT, "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # one after another
# From nothing to certain, ever darker; for heat maps.
PROBABILITY: Final = ("#ffffff", "#d6e6f2", "#9cc6e2", "#5aa2cf", "#1f78b4", "#0a4c82", "#062f55")
