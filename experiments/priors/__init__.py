"""Which structure prior finds the networks of the simulation study, and claims what is true."""
