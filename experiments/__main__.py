"""`python -m experiments NAME [--quick] --out DIR`, from the project's root.

Makes DIR/NAME.csv, row by row, with the seconds of each in DIR/NAME-seconds.csv, settings and
versions in DIR/NAME.json, and DIR/NAME.png. Where an exhibit shows rows of another, these are under
that one's name. The same command resumes a run that was interrupted.
"""

import argparse
import sys
from pathlib import Path

from baselines.environment import BaselineError

from experiments.experiment import NAMES, Experiment, ExperimentError
from experiments.running import run
from gpnet.common.errors import GpnetError


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    try:
        run(Experiment.load(options.name, quick=options.quick), options.out, options.workers)
    except (ExperimentError, BaselineError, GpnetError) as error:  # rows that are done stay
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nbroken off; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument("name", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="a taste of it, in minutes")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="made if need be")
    parser.add_argument("--workers", type=int, help="threads; as many as there are cores")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
