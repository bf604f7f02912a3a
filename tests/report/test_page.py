import base64
import hashlib
import json
import re
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from gpnet.graphs.distinct import distinct
from gpnet.inference.orientation import KAPPA, with_open_directions
from gpnet.report import packing
from gpnet.report.contents import HIGHEST, PER_NODE, START, contents, first_threshold
from gpnet.report.page import SCRIPTS, joined_scripts, page, write_page
from tests.posteriors import enumerated
from tests.report.pages import HOSTILE, made_posterior, with_curves


def data_of(html):
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', html)[1]
    )


def test_the_same_posterior_makes_the_same_file(tmp_path):
    for name in "ab":
        write_page(with_curves(made_posterior(6, chains=2)), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_policy_lets_only_its_own_script_and_style_run():
    html = page(enumerated(3))
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', html)[1]
    assert policy.startswith("default-src 'none';")
    for tag in ("script", "style"):
        body = re.search(rf"<{tag}>(.*?)</{tag}>", html, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_nothing_is_fetched_from_anywhere():
    html = page(enumerated(3))
    assert set(re.findall(r"https?://[^\"' ]*", html)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\bfetch\(|XMLHttpRequest|@import|url\(|innerHTML|eval\(", html)


def test_names_cannot_break_out():
    html = page(made_posterior(len(HOSTILE), names=HOSTILE))
    assert data_of(html)["names"] == list(HOSTILE)
    assert "<img src=x" not in html
    assert html.count("</script>") == 2
    assert html.count("<script") == 2


def test_edges_are_those_of_the_posterior():
    posterior = made_posterior(8, chains=2, std_error=0.2)
    told = contents(posterior)["edges"]
    edges = posterior.edges()
    names = posterior.names
    assert [(names[i], names[j]) for i, j, *_ in told] == list(
        zip(edges.parent, edges.child, strict=True)
    )
    assert [(p, error) for _, _, p, error, *_ in told] == list(
        zip(edges.probability, edges.std_error, strict=True)
    )
    i, j, *_, low, high = told[3]
    assert (low, high) == posterior.probability(f"{names[i]} -> {names[j]}").interval()


def test_pairs_are_those_of_the_cpdag():
    posterior = enumerated(4)
    frame = posterior.cpdag_probabilities().set_index(["a", "b"])
    for a, b, adjacent, there, back, undirected in contents(posterior)["pairs"]:
        row = frame.loc["ABCD"[a], "ABCD"[b]]
        assert there[:2] == pytest.approx([row.directed, row.directed_std_error])
        assert back[0] == pytest.approx(row.reversed)
        assert undirected[0] == pytest.approx(row.undirected)
        assert adjacent[0] == pytest.approx(row.directed + row.reversed + row.undirected)


def unpacked(record, n):
    """DAGs and weights as the page reads them."""
    kind = "<u2" if record["wide"] else "<u1"
    codes = np.frombuffer(base64.b64decode(record["codes"]), kind).reshape(n, -1)
    dags = np.zeros((codes.shape[1], n, n), dtype=bool)
    for node, row in enumerate(codes):
        for dag, code in enumerate(row):
            dags[dag, record["sets"][node][code][0], node] = True
    return dags, np.frombuffer(base64.b64decode(record["weights"]), "<f8")


def test_packed_draws_are_the_draws():
    posterior = made_posterior(9)
    record = packing.packed(posterior)
    dags, weights = unpacked(record, 9)
    assert len(dags) == len(distinct(dags)[0]) == record["n_distinct"]
    assert record["left_out"] == 0
    np.testing.assert_allclose(
        np.tensordot(weights, dags, 1), posterior.edge_probabilities(), atol=1e-12
    )


def test_what_is_left_out_is_told(monkeypatch):
    posterior = made_posterior(9)
    whole = packing.packed(posterior)
    monkeypatch.setattr(packing, "MOST_BYTES", 9 * 10)
    record = packing.packed(posterior)
    dags, weights = unpacked(record, 9)
    assert len(dags) == 10
    assert record["n_distinct"] == whole["n_distinct"] > 10
    assert weights.sum() + record["left_out"] == pytest.approx(1)
    assert weights.min() >= np.sort(unpacked(whole, 9)[1])[-10]
    assert record["errors"] is None


def test_errors_are_left_to_the_command_where_draws_are_too_many(monkeypatch):
    posterior = made_posterior(5, chains=2)
    assert packing.packed(posterior)["errors"].keys() == {"chains", "dag", "draw_weights"}
    monkeypatch.setattr(packing, "MOST_IN_ORDER", 100)
    record = packing.packed(posterior)
    assert record["errors"] is None
    assert record["left_out"] == 0


def test_size_with_twenty_variables_and_ten_thousand_dags():
    rng = np.random.default_rng(0)
    dags = np.triu(rng.random((10_000, 20, 20)) < 0.15, 1)
    posterior = made_posterior(20, n_draws=10_000, dags=dags)
    assert len(distinct(dags)[0]) > 9_900
    assert len(page(with_curves(posterior)).encode()) < 3_000_000
    doubted = with_open_directions(posterior, KAPPA, seed=0)  # three times as many networks
    assert len(page(with_curves(doubted)).encode()) < 7_000_000


def test_errors_are_left_to_the_command_where_directions_are_left_open():
    """Versions of a draw are no draws of their own, which the page would take them for."""
    posterior = made_posterior(5)
    assert packing.packed(posterior)["errors"].keys() == {"squares"}
    doubted = with_open_directions(posterior, KAPPA, seed=0)
    assert packing.packed(doubted)["errors"] is None


def test_parent_sets_have_their_probability_in_both_readings():
    posterior = made_posterior(5)
    doubted = with_open_directions(posterior, KAPPA, seed=0)
    for node, sets in enumerate(packing.packed(doubted)["sets"]):
        for parents, p, _, _, held in sets:
            for read, found in ((doubted, p), (posterior, held)):
                has = read.dags[:, :, node] == np.isin(np.arange(5), parents)
                assert found == pytest.approx(read.weights @ has.all(axis=1), rel=1e-4, abs=1e-12)
    assert all(len(one) == 4 for sets in packing.packed(posterior)["sets"] for one in sets)


def test_the_best_networks_of_replicates_are_those_with_the_largest_share():
    """Each replicate has scores of its own: those of the table rank nothing, nor make a trace."""
    dags = np.zeros((100, 3, 3), dtype=bool)
    dags[:60, 0, 1] = dags[60:90, 0, 2] = dags[90:, 1, 2] = True
    score = np.repeat([1.0, 2.0, 3.0], [60, 30, 10])  # the reverse order
    made = made_posterior(3, dags=dags, n_draws=100, log_weights=np.full(100, -np.log(100)))
    made = replace(made, log_target=score)
    found = contents(made)
    assert [one["edges"] for one in found["top"]] == [[[1, 2]], [[0, 2]], [[0, 1]]]
    assert len(found["charts"]["trace"]) == 1
    bagged = replace(
        made,
        chain=np.arange(100, dtype=np.int32) % 10,
        diagnosis=replace(made.diagnosis, replicates=10),
    )
    for posterior in (bagged, with_open_directions(bagged, KAPPA, seed=0)):
        found = contents(posterior)
        assert [one["edges"] for one in found["top"]] == [[[0, 1]], [[0, 2]], [[1, 2]]]
        shares = [one["probability"][0] for one in found["top"]]
        assert shares == pytest.approx([0.6, 0.3, 0.1])
        assert found["charts"]["trace"] == []
        assert found["charts"]["draws"] == 100


@pytest.mark.parametrize("n", [5, 60])
def test_the_first_threshold_is_a_half_unless_that_is_too_much(n):
    p = np.random.default_rng(n).random((n, n)) ** 0.5
    p = np.triu(p, 1) + np.triu(p, 1).T
    threshold, n_shown = first_threshold(p), np.triu(p >= first_threshold(p)).sum()
    if n == 5:
        assert threshold == START
    else:
        assert n_shown <= PER_NODE * n or threshold == HIGHEST
        assert threshold > START
    sparse = np.where(p > np.quantile(p, 1 - 1 / n), p, 0)
    assert first_threshold(sparse) == START
    assert first_threshold(np.where(p > 0, 1.0, 0)) <= HIGHEST  # certain links are never hidden


def test_scripts_import_only_what_stands_above_and_is_there():
    exported = {}
    for name in SCRIPTS:
        text = files("gpnet.report").joinpath("assets", f"{name}.js").read_text()
        for wanted, source in re.findall(r'^import \{(.*)\} from "\./(\w+)\.js";$', text, re.M):
            assert {one.strip() for one in wanted.split(",")} <= exported[source], (name, source)
        exported[name] = set(re.findall(r"^export (?:function|const) (\w+)", text, re.M))
        assert len(text.splitlines()) <= 300
    assert not re.search(r"^\s*(import|export) ", joined_scripts(), re.M)
    there = {entry.name for entry in files("gpnet.report").joinpath("assets").iterdir()}
    assert there == {"page.html", "page.css", *(f"{name}.js" for name in SCRIPTS)}


def test_a_posterior_without_anything_but_draws():
    """As made by hand: no settings, no diagnosis, no fits; one variable; no edge at all."""
    bare = made_posterior(1, settings={}, diagnosis={})
    told = data_of(page(bare))
    assert told["curves"] is None
    assert told["repeat"]["command"] == ""
    assert "Nothing is recorded" in told["summary"]["verdict"]
