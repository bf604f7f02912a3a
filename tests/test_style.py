"""Short functions and files, as CONTRIBUTING says."""

import ast
from pathlib import Path
from statistics import median

SRC = Path(__file__).parents[1] / "src" / "gpnet"
MEDIAN_LINES, MOST_LINES, MOST_FILE_LINES = 8, 60, 350


def n_lines(function):
    """Without the docstring: that of a public function may be long."""
    total = function.end_lineno - function.lineno + 1
    first = function.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return total - (first.end_lineno - first.lineno + 1 if is_text else 0)


def functions():
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                yield f"{path.relative_to(SRC)}:{node.name}", n_lines(node)


def test_functions_are_short():
    lines = dict(functions())
    assert median(lines.values()) <= MEDIAN_LINES
    assert {name: n for name, n in lines.items() if n > MOST_LINES} == {}


def test_files_are_short():
    files = [path for kind in ("py", "cpp", "hpp", "js") for path in SRC.rglob(f"*.{kind}")]
    long = {str(path.relative_to(SRC)): len(path.read_text().splitlines()) for path in files}
    assert {name: n for name, n in long.items() if n > MOST_FILE_LINES} == {}


def test_a_long_function_is_seen():
    text = 'def f():\n    """Two\n    lines."""\n' + "    x = 1\n" * 70
    assert n_lines(ast.parse(text).body[0]) == 71
