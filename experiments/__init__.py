"""The paper's figures and tables, and gpnet's own: each by one command.

A folder here is an experiment. To add one: `settings.toml`, `run.py` with `keys`, `measure` and
`report`, and `figure.py` with `draw`. It is found by its name. Public names of gpnet only.
"""
