"""How a misuse of the core is told: an error of the right kind, with the argument's name."""

import pytest


def refused(core, error, argument, call):
    """The call raises it, and says what was expected and what was found."""
    with pytest.raises(error) as caught:
        call(core)
    message = str(caught.value)
    if error is TypeError:  # nanobind's own, which shows all that would do
        assert argument in message
    else:
        assert message.startswith(argument)
        assert "expected" in message
        assert "found" in message


def check_table(*rows):
    """A test of each row: its name, the error, the argument and the call."""
    params = [pytest.param(*rest, id=name) for name, *rest in rows]
    return pytest.mark.parametrize(("error", "argument", "call"), params)
