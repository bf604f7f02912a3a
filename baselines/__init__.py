"""Learners: gpnet's own settings and its competitors, so that an experiment cannot tell them apart.

A learner is a frozen dataclass whose fields are its options, and `fit`. One that needs packages of
its own has a folder with `requirements.txt` and runs in an environment made from it; gpnet is never
burdened. To add one: its file or folder, and a line in LEARNERS. Public names of gpnet only.
"""

from pathlib import Path

from baselines.dibs import Dibs
from baselines.environment import make_ready
from baselines.gpnet_learner import GpnetLearner
from baselines.kernel_pc import KernelPc
from baselines.learner import Learner, Means
from baselines.sumu import Sumu

FOLDER = Path(__file__).parent
LEARNERS: dict[str, type[Learner]] = {
    "dibs": Dibs,
    "gpnet": GpnetLearner,
    "kernel-pc": KernelPc,
    "sumu": Sumu,
}

__all__ = ["FOLDER", "LEARNERS", "Learner", "Means", "make_ready"]
