"""`python -m gpnet`."""

from gpnet.cli import main

main()
