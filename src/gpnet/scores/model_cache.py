"""What a score builds of a table once, and keeps for the parent sets that come after."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final, TypeVar

from gpnet.data.dataset import Dataset

T = TypeVar("T")

SIZE: Final = 8  # models kept at once: a score and its proposal, on a few tables; so many of each
# set of rows that counts for some variable, where experimenters set variables


class ModelCache:
    """The models used last, by the fingerprint of their data and their settings.

    Not by the identity of a data set: that of a copy in another process is always new.
    """

    def __init__(self, size: int = SIZE) -> None:
        self._size, self._lock = size, Lock()
        self._models: OrderedDict[tuple[str, Hashable], Any] = OrderedDict()

    def get(self, data: Dataset, settings: Hashable, build: Callable[[], T]) -> T:
        """The model with these settings, built if it is not there; the oldest makes room."""
        key = data.fingerprint, settings
        with self._lock:
            if key in self._models:
                self._models.move_to_end(key)
                return self._models[key]  # type: ignore[no-any-return]
        model = build()  # without the lock, as it takes its time
        with self._lock:
            model = self._models.setdefault(key, model)
            while len(self._models) > self._size * data.n_masks:
                self._models.popitem(last=False)
        return model

    def forget(self, data: Dataset) -> None:
        """All models of a table that nobody will ask for again: they may be large."""
        with self._lock:
            for key in [key for key in self._models if key[0] == data.fingerprint]:
                del self._models[key]

    def clear(self) -> None:
        """All models, as at the start of a process: for measurements."""
        with self._lock:
            self._models.clear()

    def __len__(self) -> int:
        return len(self._models)


MODELS: Final = ModelCache()
