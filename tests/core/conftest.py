"""Each build that this processor can run."""

import pytest

from tests.core.small import BUILDS


@pytest.fixture(params=BUILDS)
def core(request):
    return BUILDS[request.param]
