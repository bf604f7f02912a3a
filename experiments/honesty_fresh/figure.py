"""The picture of honesty, of one kind."""

from experiments.honesty.figure import draw as draw
