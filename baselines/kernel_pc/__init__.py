"""The kernel PC algorithm on half samples; the README beside this file says what it is."""

from baselines.kernel_pc.learner import KernelPc

__all__ = ["KernelPc"]
