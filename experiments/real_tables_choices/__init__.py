"""What else could be averaged over, or left out, on the tables of the reference folder."""
