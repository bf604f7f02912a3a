"""The left panel of figure 3: the K-L divergence to the exact posterior of four nodes."""
