"""Run as ``python -m baselines.benchpress IN.csv OUT.csv [--json OPTIONS] [--probabilities FILE]``.

OUT.csv is 0 and 1 under the names of the variables, [parent, child], as benchpress compares graphs:
the edges of the most probable DAG, or with `--threshold` those that are at least as probable.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd

import gpnet


def main(arguments: list[str]) -> int:
    asked = _parser().parse_args(arguments)
    try:
        posterior = gpnet.learn(str(asked.table), curves=False, **_options(asked.json))
    except (gpnet.GpnetError, TypeError) as error:  # TypeError: an option that there is not
        print(f"baselines.benchpress: {error}", file=sys.stderr)
        return 2
    _write(_graph(posterior, asked.threshold).astype(int), asked.out)
    if asked.probabilities:
        _write(posterior.edge_probabilities(), asked.probabilities)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m baselines.benchpress")
    parser.add_argument("table", metavar="IN.csv", type=Path)
    parser.add_argument("out", metavar="OUT.csv", type=Path)
    parser.add_argument("--json", default="{}", help="options of gpnet.learn, or a file of them")
    parser.add_argument("--threshold", type=float, help="edges from this probability on")
    parser.add_argument("--probabilities", metavar="FILE", type=Path, help="of all edges, as CSV")
    return parser


def _options(text: str) -> dict[str, Any]:
    """From the text itself, or from the file that it names."""
    written = text if text.lstrip().startswith("{") else _read(text)
    try:
        found = json.loads(written)
    except ValueError as error:
        sys.exit(f'baselines.benchpress: --json: not JSON ({error}); write {{"draws": 1000}}')
    if not isinstance(found, dict):
        sys.exit('baselines.benchpress: --json: expected an object as in {"draws": 1000}')
    return found


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        sys.exit(f"baselines.benchpress: --json: {path} cannot be read ({error.strerror})")


def _graph(posterior: gpnet.Posterior, threshold: float | None) -> pd.DataFrame:
    return posterior.map_dag() if threshold is None else posterior.consensus(threshold)


def _write(matrix: pd.DataFrame, path: Path) -> None:
    matrix.to_csv(path, index=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
