"""Settings: what may be set, in words, and what is refused with which words."""

from dataclasses import fields
from inspect import signature

import pytest

import gpnet
from gpnet.common.errors import OptionError
from gpnet.inference.learn import READING
from gpnet.inference.settings import Settings


def test_all_settings_come_back_from_their_record():
    settings = Settings(
        prior="edges:2",
        thin=7,
        require=["A -> B"],
        tiers=[["A"], ("B", "C")],
        lengthscale_prior=[3, 1],
        aw=12,
        refine=False,
    )
    assert Settings.of(settings.record()) == settings
    assert settings.tiers == (("A",), ("B", "C"))
    assert settings.lengthscale_prior == (3.0, 1.0)


def test_the_record_is_all_there_is():
    everything = {field.name for field in fields(Settings)}
    assert everything - set(Settings().record()) == {"thin", "aw", "max_parents"}  # are None


def test_edges_may_be_pairs():
    assert Settings(forbid=[("A", 'say "B"')]).forbid == ('"A" -> "say ""B"""',)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"drawz": 5}, "no option 'drawz': did you mean 'draws'"),
        ({"draws": 0}, "draws: 1 or more"),
        ({"draws": 10.5}, "draws: expected a whole number"),
        ({"draws": True}, "draws: expected a whole number"),
        ({"seed": -1}, "seed: 0 or more"),
        ({"thin": 0}, "thin: 1 or more"),
        ({"max_parents": "4"}, "max_parents: expected a whole number"),
        ({"score": 3}, "score: expected a word"),
        ({"refine": "yes"}, "refine: expected true or false"),
        ({"am": float("nan")}, "am: expected a finite number"),
        ({"noise_prior": (1,)}, "noise_prior: expected two numbers"),
        ({"noise_prior": "1,1"}, "noise_prior: expected two numbers"),
        ({"forbid": "A -> B"}, "forbid: expected a list"),
        ({"require": [("A", "B", "C")]}, "require: expected edges"),
        ({"tiers": ["A", "B"]}, "tiers: expected a list"),
        ({"tiers": [["A"], []]}, "tiers: tier 2 is empty"),
        ({"tiers": "A < "}, "tiers: tier 2 of 'A < ' is empty"),
        ({"tiers": "A"}, "tiers: two or more, as in 'A,B < C < D', found 'A'"),
    ],
)
def test_what_is_wrong_is_told_by_its_name(options, told):
    with pytest.raises(OptionError, match=told):
        Settings.of(options)


def test_learn_spells_out_every_setting_with_its_default():
    """So that a misspelt option is found by whoever reads or checks the types."""
    given = signature(gpnet.learn).parameters
    assert not [p for p in given.values() if p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    for field in fields(Settings):
        assert given[field.name].default == field.default
    others = set(given) - {field.name for field in fields(Settings)}
    assert others == {
        "source",
        *READING,
        "workers",
        "cluster",
        "store",
        "time_budget",
        "progress",
        "curves",
    }
