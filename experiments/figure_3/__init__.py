"""The left panel of figure 3: how near draws come to the exact posterior of four nodes."""
