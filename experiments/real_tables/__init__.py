"""Real tables whose columns come in a known order, to judge claimed directions on."""
