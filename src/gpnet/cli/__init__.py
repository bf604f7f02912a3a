"""The command line: parses arguments, calls the package, prints. One file for each kind of command.

To add a command: a function in one of these files under `@app.command()`, or a new file named here.
"""

from gpnet.cli import ask, check, demo, effects, learn, query, tables
from gpnet.cli.app import main

__all__ = ["ask", "check", "demo", "effects", "learn", "main", "query", "tables"]
