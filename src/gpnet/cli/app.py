"""The command itself: where it prints, how it ends, the options that commands share.

Results go to stdout (with --json as JSON and nothing else), all the rest to stderr.
Exit codes: 0 done, 2 bad input, 3 finished but not converged, 130 interrupted with state saved.
"""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from gpnet import __version__
from gpnet.cli.signals import INTERRUPTED, WATCH
from gpnet.common.errors import GpnetError
from gpnet.common.messages import printable
from gpnet.common.strict_json import to_json
from gpnet.data.transforms import TRANSFORMS


class QuietConsole(Console):
    """Text of the user's is printed as rich Text: a plain string would be read as markup."""

    def on_broken_pipe(self) -> None:
        """A reader that has gone (`| head`) is no error: what is left to print goes nowhere."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


out = QuietConsole(highlight=False)
err = QuietConsole(stderr=True, highlight=False)


class _Commands(TyperGroup):
    """Ends a command that fails before Typer does, whose own endings depend on its version."""

    def invoke(self, ctx: Any) -> Any:
        """Run one command."""
        with WATCH.kept(), WATCH.heeding([signal.SIGINT], lambda: "gpnet: interrupted"):
            return self._invoke(ctx)

    def _invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except GpnetError as error:
            for line in str(error).splitlines():
                say(err, "gpnet:", line, style="bold red")
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            say(err, "gpnet:", "interrupted", style="bold red")
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:  # of the system, not foreseen above
            where = f"{error.filename}: " if error.filename else ""
            if not where:  # stdout itself, most likely: what is left to print goes nowhere
                out.on_broken_pipe()
            say(err, "gpnet:", f"{where}{error.strerror or error}", style="bold red")
            raise typer.Exit(2) from None
        except MemoryError:
            say(err, "gpnet:", "there is not enough memory for this", style="bold red")
            raise typer.Exit(2) from None


app = typer.Typer(
    cls=_Commands,
    help="Which variables drive which, and how sure can we be?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

A_TABLE = "A CSV, TSV, Parquet or Excel table; - for standard input."
Data = Annotated[Path, typer.Argument(metavar="DATA", help=A_TABLE)]
OF_COLUMNS = f"Of every column: {', '.join(TRANSFORMS)}; of some, as in log2:A,B; may be repeated."
Transform = Annotated[
    list[str] | None, typer.Option(help=f"{OF_COLUMNS} \\[default: auto]", show_default=False)
]
Delimiter = Annotated[str | None, typer.Option(help="If neither comma (.csv) nor tab (.tsv).")]
Drop = Annotated[
    list[str] | None, typer.Option(help="Columns to leave out, as in A,B; may be repeated.")
]
Keep = Annotated[
    list[str] | None, typer.Option(help="The columns to take, and no others, as in A,B.")
]
COLUMNS = "What columns are for"  # a panel of the help
Interventions = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN|FILE",
        help="What was set in each row: a column with cells as in A or A;B, or a table of 0 and 1.",
        rich_help_panel=COLUMNS,
    ),
]
Exogenous = Annotated[
    list[str] | None,
    typer.Option(
        help="Not modelled, and driven by none, as in batch,sex; may be texts.",
        rich_help_panel=COLUMNS,
    ),
]
Condition = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Exogenous, with levels even if they are numbers.",
        rich_help_panel=COLUMNS,
    ),
]
ModelDiscrete = Annotated[
    list[str] | None,
    typer.Option(
        help="Of fewer than five values, and modelled all the same, as in A,B.",
        rich_help_panel=COLUMNS,
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        help="Cells without a value: refuse, rows (leave these out), impute. \\[default: refuse]",
        show_default=False,
        rich_help_panel=COLUMNS,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same numbers.")]


def main() -> None:
    """The `gpnet` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without the ± still gets the number
    app()


@app.callback(invoke_without_command=True)
def version_option(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Which variables drive which, and how sure can we be?"""
    if version:
        out.print(f"gpnet {__version__}")
        raise typer.Exit


def say(console: Console, mark: str, text: str, *, style: str = "") -> None:
    """One line, however long: the terminal wraps it, and obeys nothing in it."""
    console.print(Text.assemble((mark, style), " ", printable(text)), soft_wrap=True)


def warn(text: str) -> None:
    """On stderr."""
    say(err, "gpnet:", f"warning: {text}", style="yellow")


def print_json(record: Mapping[str, Any] | Sequence[Any]) -> None:
    """One line on stdout."""
    out.out(to_json(record))
