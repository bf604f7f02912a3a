"""What a claim is worth on real pairs that nothing was chosen on."""
