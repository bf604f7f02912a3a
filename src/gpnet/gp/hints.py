"""Where the search for a mode begins: at the modes of smaller parent sets."""

from gpnet.common.types import Parents


def smaller_sets(parents: Parents) -> list[Parents]:
    """The sets one smaller, and the single parents: those whose modes help to find this one's."""
    singles: list[Parents] = [(parent,) for parent in parents] if len(parents) > 1 else []
    return list(dict.fromkeys(one_smaller(parents) + singles))


def one_smaller(parents: Parents) -> list[Parents]:
    """The sets without each of the parents."""
    return [parents[:i] + parents[i + 1 :] for i in range(len(parents))]
