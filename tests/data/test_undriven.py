"""Columns that nothing in a table can drive are told by their names, and no others."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from gpnet import check_table, load_table

ROWS = 60
# Columns of the tables that come with statsmodels 0.15.
STATSMODELS = """
popul TVnews selfLR ClinLR DoleLR PID age educ income vote cancer population AVGEXP AGE INCOME
INCOMESQ OWNRENT Location smoking_yes_cancer_yes smoking_no_cancer_no BILLSL SUBC NUMCMT LEAD TENURE
WORLDCONSUMPTION COPPERPRICE INCOMEINDEX ALUMPRICE INVENTORYINDEX TIME EXECUTIONS PERPOVERTY
PERBLACK VC100k96 SOUTH DEGREE foodexp rate_marriage yrs_married children religious occupation
occupation_husb affairs invest value capital firm survival censors TOTEMP GNPDEFL GNP UNEMP ARMED
POP realgdp realcons realinv realgovt realdpi cpi m1 tbilrate unemp pop infl realint individual
mode choice ttme invc invt gc hinc psize mdvis lncoins idp lpi fmde physlm disea hlthg hlthf hlthp
YES COUTAX UNEMPF MOR ACT GDP COUTAX_FEMALEUNEMP GPA TUCE PSI GRADE STACKLOSS AIRFLOW WATERTEMP
ACIDCONC NABOVE NBELOW LOWINC PERASIAN AVYRSEXP AVSALK PERMINTE_AVYRSEXP PCTAF PTRATIO PERMINTE
violent murder hs_grad poverty single white urban duration iprod
"""
NO_AGES = """
average averageIncome storage usage dosage mileage wage wages language package percentage stage
image message voltage coverage damage manager agency agent eager AGEING_index AGE65 age_2 age65plus
gestational_age bone_age brain_age age_at_death age_at_onset age_difference marriage_age ageusia
sexual_partners sex_ratio female_unemployment malevolence gender_gap Middlesex unisex essex
males_pct
"""


def words(text):
    return re.findall(r"\S+", text)


def ages():
    return np.random.default_rng(0).uniform(18, 80, size=ROWS).round()


def table(name, values):
    other = np.random.default_rng(1).normal(size=(len(values), 2))
    return pd.DataFrame(other, columns=["B", "C"]).assign(**{name: values})


def told(frame, **options):
    """(code, column) of all that is said of names."""
    found = check_table(frame, **options)
    codes = ("innate", "sex", "calendar")
    return [(one.code, one.columns[0]) for one in found if one.code in codes]


@pytest.mark.parametrize(
    "name",
    [
        *("age", "Age", "AGE", "age_years", "Age (years)", "patient_age", "patientAge", "'age'"),
        *("age.in.years", "AgeYears", "maternal age", "mother's age", "ageScaled", "age_yrs"),
    ],
)
def test_an_age_is_known_by_its_name(name):
    (finding,) = (f for f in check_table(table(name, ages())) if f.code == "innate")
    assert (finding.level, finding.columns) == ("warning", (name,))
    assert "--roots" in finding.remedy
    assert told(table(name, ages()), exogenous=[name]) == []


@pytest.mark.parametrize("name", words(NO_AGES))
def test_other_words_with_the_same_letters_are_no_ages(name):
    assert told(table(name, ages())) == []
    assert told(table(name, [0.0, 1.0] * (ROWS // 2))) == []


@pytest.mark.parametrize(
    ("name", "values", "is_age"),
    [
        ("age", (ages() - ages().mean()) / ages().std(), True),
        ("age", ages() - ages().mean(), True),
        ("age", ages() / 100, True),
        ("age", ages() * 12, False),  # nobody is so old
        ("age_months", ages() * 12, True),
        ("age_days", ages() * 365, True),
        ("age", ages() - 30, False),  # neither ages nor around 0
    ],
)
def test_its_values_may_be_ages(name, values, is_age):
    assert told(table(name, values)) == [("innate", name)] * is_age


@pytest.mark.parametrize("name", ["sex", "Sex", "GENDER", "is_male", "female", "patient_sex"])
@pytest.mark.parametrize("levels", [[0.0, 1.0], ["f", "m"]])
def test_a_sex_is_told_once_and_as_such(name, levels):
    frame = table(name, levels * (ROWS // 2))
    assert told(frame) == [("sex", name)]
    assert [f.code for f in check_table(frame) if name in f.columns] == ["sex"]
    assert told(frame, exogenous=[name]) == []
    assert load_table(frame).assumed == (name,)


def test_a_sex_that_is_modelled_is_a_root():
    frame = table("sex", [0.0, 1.0] * (ROWS // 2))
    assert told(frame, model_discrete=["sex"]) == [("innate", "sex")]


def test_names_of_statsmodels_tables_raise_no_false_alarm():
    assert {name for name in words(STATSMODELS) if told(table(name, ages()))} == {"age", "AGE"}


@pytest.mark.parametrize("name", ["iris", "wine", "diabetes", "linnerud", "breast_cancer"])
def test_tables_of_scikit_learn_raise_no_false_alarm(name):
    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    right = [("sex", "sex"), ("innate", "age")] if name == "diabetes" else []
    assert told(frame) == right
