"""Memory that Python asks for, which does not depend on how busy the machine is."""

import tracemalloc


def peak_megabytes(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
