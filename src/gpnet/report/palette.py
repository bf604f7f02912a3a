"""The colours of all pictures, told apart by colour-blind eyes too; imports nothing of gpnet."""

from typing import Final

ACCENT: Final = "#2166ac"  # what is probable
ACCENT_DARK: Final = "#7ab8f0"  # the same on a dark ground
SECOND: Final = "#b35806"  # what differs
SECOND_DARK: Final = "#f0a860"
