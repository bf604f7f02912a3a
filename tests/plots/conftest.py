"""Figures that do not outlive their test."""

import matplotlib
import matplotlib.pyplot as plt
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    plt.close("all")  # of tests elsewhere
    yield
    plt.close("all")
