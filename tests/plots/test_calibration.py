"""Calibration is that of metrics."""

import numpy as np
import pandas as pd
import pytest

from gpnet import OptionError, plots
from gpnet.posterior import metrics
from tests.posteriors import thinned

POSTERIOR = thinned(11)
P = POSTERIOR.edge_probabilities()
TRUTH = P.to_numpy() > 0.6


def marks(ax):
    return np.stack(ax.containers[0].lines[0].get_data(), axis=1)


def test_marks_are_claimed_and_true_shares():
    ax = POSTERIOR.plot_calibration(TRUTH)
    bins = metrics.calibration(P.to_numpy(), TRUTH, 10)
    np.testing.assert_array_equal(marks(ax), bins[["claimed", "true"]])
    assert [text.get_text() for text in ax.texts] == [str(n) for n in bins["count"]]
    error = metrics.expected_calibration_error(P.to_numpy(), TRUTH, 10)
    assert ax.get_title("left") == f"calibration error {error:.3f}"


def test_several_at_once():
    several, truths = np.stack([P.to_numpy(), P.to_numpy().T]), np.stack([TRUTH, TRUTH])
    ax = plots.calibration(several, truths)
    expected = metrics.calibration(several, truths, 10)[["claimed", "true"]]
    np.testing.assert_array_equal(marks(ax), expected)


@pytest.mark.parametrize("with_index", [True, False])
def test_a_frame_is_read_by_its_names(with_index):
    names = list(reversed(POSTERIOR.names))
    frame = pd.DataFrame(TRUTH, POSTERIOR.names, POSTERIOR.names).loc[names, names]
    frame = frame if with_index else frame.reset_index(drop=True)
    np.testing.assert_array_equal(
        marks(POSTERIOR.plot_calibration(frame)), marks(POSTERIOR.plot_calibration(TRUTH))
    )


def test_a_file_is_read(tmp_path):
    pd.DataFrame(TRUTH.astype(int), columns=POSTERIOR.names).to_csv(
        tmp_path / "dag.csv", index=False
    )
    for path in (tmp_path / "dag.csv", str(tmp_path / "dag.csv")):
        np.testing.assert_array_equal(
            marks(POSTERIOR.plot_calibration(path)), marks(POSTERIOR.plot_calibration(TRUTH))
        )


def test_a_truth_of_other_variables_is_refused():
    with pytest.raises(OptionError, match=r"truth: expected a row and a column for each of 'V1'"):
        POSTERIOR.plot_calibration(pd.DataFrame(TRUTH, columns=list("abcdefghijk")))
    with pytest.raises(OptionError, match="of the same shape"):
        POSTERIOR.plot_calibration(TRUTH[:3, :3])


def test_one_variable_has_no_edges():
    with pytest.raises(OptionError, match="which has no edges"):
        plots.calibration(np.zeros((1, 1)), np.zeros((1, 1), dtype=bool))


def test_bars_contain_the_true_share():
    ax = POSTERIOR.plot_calibration(TRUTH)
    (bars,) = ax.containers[0].lines[2]
    for (x, low), (_, high) in bars.get_segments():
        ((_, share),) = [mark for mark in marks(ax) if mark[0] == x]
        assert 0 <= low <= share <= high <= 1
        assert high - low > 0.01
