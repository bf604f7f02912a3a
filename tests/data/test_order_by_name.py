"""Orders in time are suggested by names that tell of one, and by no others."""

import random
from itertools import pairwise

import pytest
from sklearn import datasets

from gpnet.data.order_by_name import is_event, suggested_tiers
from gpnet.data.time_in_names import words_of

# All columns of tables whose order is known.
KNOWN = """
401ksubs: age,fsize < inc < nettfa
benefits: lunch,enroll < staff,exppp,avgsal,avgben < math4,story4
bwght: motheduc,fatheduc < faminc,parity < cigs < bwght
card: motheduc,fatheduc < IQ,KWW,educ < wage
ceosal2: age < comten,ceoten,salary,sales,profits,mktval
econmath: hsgpa,acteng,actmth,mathscr < colgpa < score
fringe: age,educ < annhrs,hrearn,vacdays,pension
gpa3: hssize < hsperc,sat < cumgpa,trmgpa,tothrs
htv: motheduc,fatheduc,sibs < abil,educ < wage
lowbrth: pcinc,povrate < lowbrth < infmort
meapsingle: medinc,pctsgle,totchild < free,exppp,enroll < math4,read4
mroz: motheduc,fatheduc < educ < wage,hours,faminc
return: rok,dkr,eps,netinc,sp90,salary < sp94
school93_98: postrpi_2 < postrpi_1 < prerpi < wins < postrpi
smoke: age,educ < lincome,cigs
vote1: prtystrA < expendA,expendB < voteA
"""

# Sixty names such as tables have, to be mixed.
NAMES = """
age sex cd40 cd420 cd80 cd820 cd4 CD44 sp90 sp94 HSP70 HSP90 gdp_1990 gdp_2000 GDP2010 bp_week0
bp_week12 bp_baseline baseline_bp bp week4_hr hrWk8 t0 anx_t0 anx_t1 visit1 visit2 day0 day7 pain_6m
pain_12m pain_baseline pretest posttest test pre post preterm postterm score_before score_after
score_followup death cens time days status survival_time outcome motheduc fatheduc educ wage lwage
x1 x2 x10 week month 1990 * baseline baseline_bmi pre_pre bp_0m bp_0weeks weeks_0_1 _ [a,<"b] été1
"""


def text(tiers):
    """As an option takes it, without quotes."""
    return " < ".join(",".join(tier) for tier in tiers)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("sp90 sp94 salary", "sp90 < sp94"),
        ("re74 re75 re78 age", "re74 < re75 < re78"),
        ("gdp_2000 gdp_1990 area", "gdp_1990 < gdp_2000"),
        ("GDP1990 GDP2000", "GDP1990 < GDP2000"),
        ("cd40 cd420 cd80 cd820 cd496 wtkg", "cd40,cd80 < cd420,cd820 < cd496"),
        ("bp_week12 bp_week4", "bp_week4 < bp_week12"),
        ("week0 week4 week12", "week0 < week4 < week12"),
        ("bpWk0 hrWk12 bpWk12 hrWk0", "bpWk0,hrWk0 < hrWk12,bpWk12"),
        ("month3_bmi month6_bmi", "month3_bmi < month6_bmi"),
        ("visit1 visit2 visit3", "visit1 < visit2 < visit3"),
        ("score_wave1 score_wave2", "score_wave1 < score_wave2"),
        ("anx_t0 anx_t1 anx_t2", "anx_t0 < anx_t1 < anx_t2"),
        ("crp_0h crp_24h", "crp_0h < crp_24h"),
        ("bp_12_months bp_baseline bp_6_months", "bp_baseline < bp_6_months < bp_12_months"),
        ("eq5d_bl eq5d_6m eq5d_12m", "eq5d_bl < eq5d_6m < eq5d_12m"),
        ("bp_week4 bp_week0 baseline_bmi", "bp_week0,baseline_bmi < bp_week4"),
        ("bmi_baseline bmi_follow_up", "bmi_baseline < bmi_follow_up"),
        ("baseline_score score", "baseline_score < score"),
        ("pretest posttest", "pretest < posttest"),
        ("post pre x", "pre < post"),
        ("PainBefore PainAfter", "PainBefore < PainAfter"),
        ("wage educ fatheduc motheduc IQ", "fatheduc,motheduc < educ < wage"),
        ("meduc lwage", "meduc < lwage"),
        ("mother_education schooling", "mother_education < schooling"),
        ("bmi survival_time", "* < survival_time"),
        ("pretest posttest survival_months", "pretest < posttest < survival_months"),
    ],
)
def test_names_that_tell_of_an_order(names, expected):
    assert text(suggested_tiers(names.split())) == expected


@pytest.mark.parametrize(
    "names",
    [
        "HSP70 HSP90 TP53 GAPDH",
        "hsp70 hsp90",
        "grp78 grp94",
        "cd4 cd8 cd40 cd44 cd45",
        "CD40 CD44 CD80 CD86",
        "il2 il6 il10",
        "IC50 IC90",
        "dose60 dose80",
        "q10 q90 p10 p90",
        "x1 x2 x3 x4 x5 x6 x7 x8 x9 x10",
        "p38 p65 p70 p90",
        "PKA PKC Raf Mek Erk Akt P38 Jnk Plcg PIP2 PIP3",
        "ZNF74 ZNF92 KRT8 KRT18",
        "tmem63 tmem98 krt8 krt18 actb1",  # others have numbers that are no years
        "KIAA1958 KIAA2012",
        "vitamin_d2 vitamin_d3",
        "free_t3 free_t4",
        "liver_t1 liver_t2",  # relaxation times of a scanner
        "rain_7_days rain_30_days",
        "Macrophages_M0 Macrophages_M1 Macrophages_M2",
        "temp_0m temp_10m",
        "precentral postcentral",
        "pressure posture",
        "pain_before score_after",
        "week month year",
        "sp90 salary",
        "bp_week12 bmi",
        "bp_baseline bp_week0",  # one time
        "score score_week12",
        "age65 age75",
        "educ wage",
        "motheduc bwght",
        "* survival_time",
        "survival_time",
        "status death bmi",  # measurements by these names are anything
        "",
    ],
)
def test_names_that_tell_of_none(names):
    assert suggested_tiers(names.split()) == ()


@pytest.mark.parametrize("name", ["breast_cancer", "diabetes", "iris", "wine"])
def test_well_known_tables_have_none(name):
    table = getattr(datasets, f"load_{name}")()
    assert suggested_tiers([*table.feature_names, "target"]) == ()


def test_what_happens_comes_last():
    names = ["bp_week0", "death", "bp_week8", "days"]
    assert text(suggested_tiers(names, events=["death"])) == "bp_week0 < bp_week8 < death,days"
    assert text(suggested_tiers(["bmi", "death"], events=["death"])) == "* < death"
    assert suggested_tiers(["death"], events=["death"]) == ()


def test_what_nothing_drives_needs_no_order():
    assert suggested_tiers(["age", "sex", "survival_time"], undriven=["age", "sex"]) == ()
    assert suggested_tiers(["week0", "week4"], undriven=["week0", "week4"]) == ()
    assert suggested_tiers(["bmi", "death"], undriven=["death"]) == ()
    # What is measured later drives nothing earlier, whatever drives it.
    tiers = suggested_tiers(["bp_t0", "bp_t1", "arm_t0", "arm_t1"], undriven=["arm_t0", "arm_t1"])
    assert text(tiers) == "bp_t0,arm_t0 < bp_t1,arm_t1"


def test_events():
    names = "death DEATH_EVENT Survived status vital_status cens censored isDead os_status relapse"
    assert [name for name in names.split() if not is_event(name)] == []


def test_no_events():
    names = "marital_status smoker treat sensor age_at_death events_per_year eventual"
    assert [name for name in names.split() if is_event(name)] == []


def test_words():
    assert words_of("bpWk4") == words_of("bp_weeks_4") == "bp week 4"
    assert words_of("Score (follow-up)") == "score followup"


def test_tiers_name_columns_of_the_table_once():
    chance, seen = random.Random(0), 0
    for _ in range(500):
        names = chance.sample(NAMES.split(), chance.randint(0, 25))
        undriven = chance.sample(names, len(names) // 4)
        events = [n for n in names if is_event(n) and n not in undriven]
        tiers = suggested_tiers(names, undriven, events)
        named = [name for tier in tiers for name in tier]
        assert len(tiers) != 1
        assert all(tiers)
        assert len(named) == len(set(named))
        assert set(named) <= {*names, "*"}
        seen += bool(tiers)
    assert seen > 100


def test_the_order_of_columns_is_of_no_matter():
    chance = random.Random(1)
    for _ in range(100):
        names = chance.sample(NAMES.split(), 12)
        first, second = (suggested_tiers(some) for some in (names, names[::-1]))
        assert [set(tier) for tier in first] == [set(tier) for tier in second]


def test_orders_that_are_known_are_not_contradicted():
    proposed = []
    for line in KNOWN.split("\n")[1:-1]:
        table, _, known = line.partition(": ")
        place = {name: i for i, tier in enumerate(known.split(" < ")) for name in tier.split(",")}
        tiers = suggested_tiers(sorted(place))
        ordered = [[place[name] for name in tier] for tier in tiers]
        for earlier, later in pairwise(ordered):
            assert max(earlier) <= min(later), table
        proposed += [table] if tiers else []
    assert proposed == ["card", "htv", "mroz", "return", "school93_98"]
