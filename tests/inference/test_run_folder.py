"""The folder of a run: what counts as a run that has come to its end."""

import pytest

from gpnet.graphs.enumeration import all_dags
from gpnet.inference.run_folder import RunFolder
from tests.posteriors import posterior_of


@pytest.mark.parametrize(
    ("diagnosis", "whole"),
    [
        ({}, True),
        ({"share_unscored": 0.0, "relations_unfitted": 0}, True),
        ({"share_unscored": 0.2, "relations_unfitted": 0}, False),
        ({"share_unscored": 0.0, "relations_unfitted": 1}, False),
    ],
)
def test_what_was_cut_short_is_made_again(tmp_path, diagnosis, whole):
    folder = RunFolder(tmp_path)
    folder.finish(posterior_of(all_dags(3), diagnosis=diagnosis), {})
    assert (folder.finished() is not None) == whole


def test_what_lacks_a_file_is_made_again(tmp_path):
    folder = RunFolder(tmp_path)
    assert folder.finished() is None
    folder.finish(posterior_of(all_dags(3)), {})
    folder.edges.unlink()
    assert folder.finished() is None
