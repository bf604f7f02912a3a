"""What columns are for: exogenous ones, levels, targets, rows without a value."""

import io
import sys

import numpy as np
import pandas as pd
import pytest

import gpnet
from gpnet import DataError, Dataset, OptionError, check_table, load_table
from gpnet.data.roles import MOST_LEVELS

N = 60


def frame(**more):
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(N, 3)), columns=["A", "B", "C"]).assign(**more)


def codes(found):
    return [finding.code for finding in found]


# Exogenous columns


@pytest.mark.parametrize(
    ("cells", "levels"),
    [
        (["m", "f"] * 30, ("f", "m")),
        ([True, False] * 30, ("False", "True")),
        (pd.Categorical(["low", "high", "mid"] * 20), ("high", "low", "mid")),
        (["10", "9", "2 a"] * 20, None),  # numbers among texts are an error of their own
    ],
)
def test_texts_truth_values_and_categories_are_levels(cells, levels):
    table = frame(kind=cells)
    if levels is None:
        assert "not-numeric" in codes(check_table(table))
        return
    data = load_table(table)
    assert data.exogenous == ("kind",)
    assert data.levels == {"kind": levels}
    assert set(data.values[:, 3]) == set(range(len(levels)))
    assert "categorical" in codes(data.warnings)


def test_said_by_the_user_it_is_no_warning():
    data = load_table(frame(kind=["m", "f"] * 30), exogenous=["kind"])
    assert not data.warnings
    assert data.categorical == frozenset({3})


def test_columns_of_few_values_are_exogenous_unless_the_user_models_them():
    table = frame(grade=[0, 1] * 30)
    data = load_table(table)
    assert data.exogenous == ("grade",)
    assert not data.levels  # numbers stay numbers
    assert codes(data.warnings) == ["few-values"]
    assert "--model-discrete" in data.warnings[0].remedy
    assert load_table(table, model_discrete="grade").exogenous == ()


def test_a_condition_has_levels_even_if_they_are_numbers():
    data = load_table(frame(plate=np.arange(N) % 12), condition="plate")
    assert data.levels["plate"] == tuple(map(str, range(12)))


def test_exogenous_columns_are_not_transformed():
    table = frame(dose=np.linspace(-1, 1, N)).assign(A=np.linspace(1, 2, N) ** 3)
    data = load_table(table[["A", "dose"]], exogenous=["dose"], transform="log2")
    np.testing.assert_array_equal(data.values[:, 1], table["dose"])


@pytest.mark.parametrize(
    ("cells", "code", "told"),
    [
        ([f"id{i}" for i in range(N)], "not-numeric", "60 cells without a number"),  # labels
        (["x"] * (N - 1) + ["y"], "rare-level", "1 level of 2 is seen once ('y')"),
        (["x"] * N, "not-numeric", "60 cells without a number"),
        ([None, *["x", "y"] * 29, "x"], "missing", "1 missing value"),
    ],
)
def test_levels_that_cannot_be_used_are_one_clear_error(cells, code, told):
    found = [one for one in check_table(frame(kind=cells)) if one.level == "error"]
    assert codes(found) == [code]
    assert told in found[0].problem
    assert found[0].columns == ("kind",)


def test_ten_thousand_levels_are_one_error():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"A": rng.normal(size=20_000), "B": rng.normal(size=20_000)})
    table["cell"] = [f"cell {i // 2}" for i in range(20_000)]
    told = rf"'cell' has 10,000 levels, more than the {MOST_LEVELS} .*Remedy: merge them"
    with pytest.raises(DataError, match=told) as error:
        load_table(table)
    assert len(str(error.value).splitlines()) == 1


def test_exogenous_columns_alone_leave_nothing_to_learn():
    with pytest.raises(DataError, match="there is nothing to learn"):
        load_table(frame(), exogenous=["A", "B", "C"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"exogenous": ["D"]}, "exogenous 'D': no such column"),
        ({"condition": "a"}, "condition 'a': no such column, there is"),
        ({"model_discrete": "X"}, "model_discrete 'X': no such column"),
        ({"exogenous": "A", "model_discrete": "A"}, "'A' is to be modelled and exogenous"),
        ({"exogenous": 3}, "exogenous: the names of columns, found '3'"),
        ({"missing": "fill"}, "missing 'fill': expected one of 'refuse', 'rows'"),
    ],
)
def test_roles_that_make_no_sense(options, told):
    with pytest.raises(OptionError, match=told.replace("?", r"\?")):
        load_table(frame(), **options)


# Interventions


def test_targets_that_are_no_columns():
    with pytest.raises(DataError, match=r"names 'D' in row 2, and no column is called so"):
        load_table(frame(t=["", "D", *["A"] * 58]), interventions="t")


def test_neither_a_column_nor_a_file():
    with pytest.raises(OptionError, match="interventions 'tt': neither a column nor a file"):
        load_table(frame(t=["A"] * N), interventions="tt")


def test_a_variable_that_was_set_in_nearly_all_rows_is_exogenous_or_an_error():
    table = frame(t=["A"] * 55 + [""] * 5)
    with pytest.raises(DataError, match=r"'A' set in all rows but 5.*--exogenous"):
        load_table(table, interventions="t")
    assert load_table(table, interventions="t", exogenous=["A"]).interventions is None


def test_a_file_of_zeros_and_ones(tmp_path):
    flags = np.zeros((N, 3), dtype=int)
    flags[:20, 1] = 1
    pd.DataFrame(flags, columns=["A", "B", "C"]).to_csv(tmp_path / "set.csv", index=False)
    data = load_table(frame(), interventions=tmp_path / "set.csv")
    np.testing.assert_array_equal(data.interventions, flags.astype(bool))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (np.zeros((N, 2)), r"expected an array of shape \(60, 3\)"),
        (np.full((N, 3), 2), r"expected 0 and 1, found '2' in row 1 of 'A'"),
        (pd.DataFrame({"D": [0] * N}), "no column of the table is called 'D'"),
        (pd.DataFrame({"A": [0] * 9}), "9 rows for a table of 60"),
    ],
)
def test_tables_of_interventions_that_do_not_fit(given, told):
    with pytest.raises(DataError, match=told):
        load_table(frame(), interventions=given)


def test_a_column_that_names_others_is_taken_for_interventions():
    found = check_table(frame(t=["A", "B;C", ""] * 20))
    assert codes(found) == ["interventions"]
    assert "--interventions t" in found[0].remedy
    assert load_table(frame(t=["A", "B;C", "none"] * 20)).exogenous == ("t",)


def test_roles_are_given_when_a_dataset_is_made():
    data = load_table(frame())
    with pytest.raises(OptionError, match="give them when the Dataset is loaded"):
        load_table(data, exogenous=["A"])
    made = Dataset(data.values, data.names, exogenous=["A"])
    assert made.is_exogenous(0)
    assert made.fingerprint != data.fingerprint


# Rows without a value


def test_rows_without_a_value_are_left_out_if_asked():
    table = frame()
    table.loc[[3, 7], "B"] = np.nan
    table["t"] = ["A"] * 20 + [""] * 40  # an empty cell here is no gap
    with pytest.raises(DataError, match=r"--missing rows.*--missing impute"):
        load_table(table, interventions="t")
    data = load_table(table, interventions="t", missing="rows")
    assert data.n_rows == N - 2
    assert data.interventions[:, 0].sum() == 18
    assert codes(data.warnings) == ["incomplete-rows"]
    assert "2 of 60 rows" in data.warnings[0].problem


# Pooled tables


def test_blocks_of_rows_that_differ_are_told():
    table = pd.DataFrame(np.random.default_rng(1).normal(size=(300, 4)), columns=list("ABCD"))
    assert "pooled" not in codes(check_table(table))
    pooled = table + np.repeat([0, 1.5, -1], 100)[:, None] * [1, 1, 1, 0]
    assert "pooled" in codes(check_table(pooled))
    with_condition = pooled.assign(batch=np.repeat(["x", "y", "z"], 100))
    assert "pooled" not in codes(check_table(with_condition, exogenous=["batch"]))
    # Few values are exogenous by themselves; what they do not explain is told all the same.
    assert "pooled" not in codes(check_table(pooled.assign(kind=np.repeat([1, 2, 3], 100))))
    assert "pooled" in codes(check_table(pooled.assign(kind=np.resize([1, 2, 3], 300))))


def test_how_often_blocks_are_seen_where_there_are_none():
    """At most 1e-6 of tables, by the test; none of 40 skewed ones."""
    for seed in range(40):
        values = np.random.default_rng(seed).exponential(size=(200, 6))
        assert "pooled" not in codes(check_table(values))


# Reading


def test_excel(tmp_path):
    path = tmp_path / "table.xlsx"
    frame(kind=["m", "f"] * 30).to_excel(path, index=False)
    read, given = load_table(path), load_table(frame(kind=["m", "f"] * 30))
    np.testing.assert_allclose(read.values, given.values, rtol=1e-14)  # Excel keeps 15 digits
    assert (read.names, read.levels) == (given.names, given.levels)
    path.write_bytes(b"PK no workbook")
    with pytest.raises(DataError, match="not a sound Excel workbook"):
        load_table(path)


def test_standard_input(monkeypatch):
    text = frame().to_csv(index=False).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert load_table("-").n_rows == N


# The whole line


def test_learning_with_experiments_and_covariates():
    made = gpnet.simulate(
        nodes=4, rows=80, interventions=4, rows_each=40, covariates=1, nonlinearity=0,
        edge_probability=0.6, seed=2,
    )  # fmt: skip
    posterior = gpnet.learn(made.frame(), interventions="target", score="linear")
    p = posterior.edge_probabilities()
    assert list(p.index) == list(made.all_names)
    found = gpnet.metrics.compare(posterior.dags, posterior.weights, made.dag, posterior.identified)
    assert found["eshd"] < 1
    assert found["eshd_cpdag"] == pytest.approx(found["eshd"], abs=1e-9)  # all is identified
    assert posterior.settings["data"]["exogenous"] == ["covariate1"]
    assert p["covariate1"].max() == 0  # nothing drives it
    assert any("set by experiments" in note for note in posterior.diagnosis.notes)


def test_experiments_tell_directions_that_lines_do_not_have():
    rng = np.random.default_rng(3)
    a = rng.normal(size=300)
    b = 0.8 * a + 0.6 * rng.normal(size=300)
    were_set = np.zeros((300, 2), dtype=bool)
    were_set[200:, 0] = True
    a[200:] = rng.normal(size=100)
    b[200:] = 0.8 * a[200:] + 0.6 * rng.normal(size=100)
    table = pd.DataFrame({"A": a, "B": b})
    told = gpnet.learn(table, interventions=were_set, score="bge")
    untold = gpnet.learn(table, score="bge")
    assert untold.probability("A => B") < 0.01
    assert untold.probability("A -> B") == pytest.approx(0.5, abs=0.03)
    assert told.probability("A => B") + told.probability("B => A") == pytest.approx(1)
    assert told.cpdag_probabilities()["undirected"].max() == 0


def test_roots_and_tiers():
    table = frame()
    table["B"] = table["A"] + 0.3 * table["B"]
    free = gpnet.learn(table, score="bge")
    assert free.probability("A -> B") < 0.6
    rooted = gpnet.learn(table, score="bge", roots=["A"])
    by_tiers = gpnet.learn(table, score="bge", tiers=[["A"], ["*"]])
    assert rooted.probability("A -> B") > 0.99
    np.testing.assert_allclose(
        rooted.edge_probabilities(), by_tiers.edge_probabilities(), atol=0.03
    )
    assert rooted.probability("A => B") > 0.99  # knowledge tells it
    idle = gpnet.learn(table, score="bge", tiers=[["A"]])
    assert any("the tiers rule nothing out" in note for note in idle.diagnosis.notes)


def test_the_prior_counts_edges_from_exogenous_columns_only_if_told():
    table = frame(dose=np.linspace(0, 1, N))
    options = {"exogenous": ["dose"], "score": "bge", "prior": "edges:6"}
    free = gpnet.learn(table, **options).edge_probabilities().loc["dose"].sum()
    counted = gpnet.learn(table, exogenous_prior=True, **options).edge_probabilities()
    assert counted.loc["dose"].sum() < 0.2 * free
