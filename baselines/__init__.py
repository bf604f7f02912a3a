"""Learners: gpnet and its competitors behind one interface.

A learner is a frozen dataclass whose fields are its options, and `fit`. One that needs packages of
its own has a folder with `requirements.txt` and runs in an environment made from it; none is a
dependency of gpnet. To add one: its file or folder, and a line in LEARNERS. Public names of gpnet
only.
"""

from baselines.dibs import Dibs
from baselines.gpnet_learner import GpnetLearner
from baselines.kernel_pc import KernelPc
from baselines.learner import Learner, Resources, timed_fit
from baselines.sumu import Sumu

LEARNERS: dict[str, type[Learner]] = {
    "dibs": Dibs,
    "gpnet": GpnetLearner,
    "kernel-pc": KernelPc,
    "sumu": Sumu,
}

__all__ = ["LEARNERS", "Learner", "Resources", "timed_fit"]
