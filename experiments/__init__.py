"""The paper's figures and tables, and gpnet's own: what is claimed, measured again by one command.

A folder here is an experiment. To add one: `settings.toml`, `run.py` with `keys`, `measure` and
`report`, and `figure.py` with `draw`. Nobody needs to be told of it. Public names of gpnet only.
"""
