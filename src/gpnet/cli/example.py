"""gpnet demo: the main job on a built-in example."""

from gpnet.cli.app import Seed, app, out
from gpnet.demo import run_demo


@app.command()
def demo(seed: Seed = 8) -> None:
    """Run the main job on a built-in example.

    Example: gpnet demo
    """
    run_demo(out, seed=seed)
