"""Features in text: what is read, what is refused, and that any names come back."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpnet.common.errors import OptionError
from gpnet.posterior.features import (
    SIGNS,
    WORDS,
    adjacent,
    ancestor,
    blanket,
    compelled,
    d_separated,
    edge,
    in_blanket,
    parent_set,
    parse,
    path,
    precedes,
    v_structure,
)

NAMES = ("A", "B", "C", "D")
a, b, c = edge("A", "B"), edge("B", "C"), edge("C", "D")


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("A -> B", edge("A", "B")),
        ("A->B", edge("A", "B")),
        (" A\n->\tB ", edge("A", "B")),
        ("A → B", edge("A", "B")),
        ("A <- B", edge("B", "A")),
        ("A ← B", edge("B", "A")),
        ("A -- B", adjacent("A", "B")),
        ("A ~> B", path("A", "B")),
        ("ancestor(A, B)", ancestor("A", "B")),
        ("A => B", compelled("A", "B")),
        ("A < B", precedes("A", "B")),
        ("A -> C <- B", v_structure("A", "C", "B")),
        ("A → C ← B", v_structure("A", "C", "B")),
        ("A _||_ B", d_separated("A", "B")),
        ("A_||_B|C,D", d_separated("A", "B", ["C", "D"])),
        ("A _||_ B | C and A -> B", d_separated("A", "B", ["C"]) & a),
        ("parents(B) = {}", parent_set("B", [])),
        ("parents( B )={ C ,A }", parent_set("B", ["A", "C"])),
        ("blanket(B) = {A, C}", blanket("B", ["A", "C"])),
        ("A in blanket(B)", in_blanket("A", "B")),
        ("A  in  blanket (B)", in_blanket("A", "B")),
        ("not A -> B", ~a),
        ("not(A -> B)", ~a),
        ("not not A -> B", ~~a),
        ("not A -> B and B -> C", ~a & b),
        ("not (A -> B and B -> C)", ~(a & b)),
        ("A -> B or B -> C and C -> D", a | (b & c)),
        ("A -> B and B -> C or C -> D", (a & b) | c),
        ("(A -> B or B -> C)and(C -> D)", (a | b) & c),
        ('"A"->"B"and not"B"->C', a & ~b),
    ],
)
def test_what_a_text_says(text, feature):
    assert parse(text, NAMES) == feature
    assert parse(str(feature), NAMES) == feature


def test_texts_are_as_one_would_write_them():
    assert str(~a & b | c) == "not A -> B and B -> C or C -> D"
    assert str((a | b) & ~(b & c)) == "(A -> B or B -> C) and not (B -> C and C -> D)"
    assert str(d_separated("A", "B", {"D", "C"})) == "A _||_ B | C, D"
    assert str(parent_set("blood pressure", ["IL-6", "x,y"])) == (
        'parents(blood pressure) = {IL-6, "x,y"}'
    )
    assert str(edge("not", 'say "A"')) == '"not" -> "say ""A"""'


@pytest.mark.parametrize(
    ("text", "names", "feature"),
    [
        ("blood pressure -> age", ["age", "blood", "blood pressure"], ("blood pressure", "age")),
        ("IL-6 -> TNF.a", ["IL", "IL-6", "TNF.a"], ("IL-6", "TNF.a")),
        ("Weight (kg) -> CO2, total", ["CO2", "Weight (kg)", "CO2, total"], None),
        ("Weight (kg) -> CO2", ["CO2", "Weight (kg)"], ("Weight (kg)", "CO2")),
        ("search and rescue -> A", ["A", "search and rescue"], ("search and rescue", "A")),
        ("time in bed -> parents", ["time in bed", "parents"], ("time in bed", "parents")),
        ("do not ask -> A", ["do not ask", "A"], ("do not ask", "A")),
        ("A -> B", ["A", "B", "A -> B"], ("A", "B")),
        ('"A -> B" -> B', ["A", "B", "A -> B"], ("A -> B", "B")),
        ("größe → 年齢", ["größe", "年齢"], ("größe", "年齢")),
    ],
)
def test_names_without_quotes(text, names, feature):
    if feature is None:  # a shorter name that is known comes first
        with pytest.raises(OptionError, match=r"if 'CO2, total' is meant, put it in double quotes"):
            parse(text, names)
    else:
        assert parse(text, names) == edge(*feature)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected the name of a variable where the text ends"),
        ("A", "expected one of -> <- -- ~> => < _||_ in blanket where the text ends"),
        ("A ->", "expected the name of a variable where the text ends"),
        ("A -> B and", "expected the name of a variable where the text ends"),
        ("not", "expected the name of a variable where the text ends"),
        ("A _||_ B |", "expected the name of a variable where the text ends"),
        ("-> B", "expected the name of a variable at character 1, found '-> B'"),
        ("A = B", "expected one of -> <- -- ~> => < _||_ in blanket at character 3, found '= B'"),
        ("A and B", "in blanket at character 3, found 'and B'"),
        ("A in parents(B)", "no variable is called 'A in parents'"),
        ("A -> B -> C", "two signs in a row; write 'A -> B and B -> C'"),
        ("A <- B -> C", "two signs in a row; write 'B -> A and B -> C'"),
        ("A ~> B ~> C", "two signs in a row; write 'A ~> B and B ~> C'"),
        ("A -> B <- C <- D", "two signs in a row; write 'A -> B <- C and D -> C'"),
        ("A -> B)", "expected 'and', 'or' or the end at character 7, found ')'"),
        ("A -> B, C", "expected 'and', 'or' or the end at character 7, found ', C'"),
        ("(A -> B", "expected ')' where the text ends"),
        ("parents(B) = A", "expected '{' at character 14, found 'A'"),
        ("parents(B) = {A", "expected '}' where the text ends"),
        ("parents(B)", "expected '=' where the text ends"),
        ("ancestor(A)", "expected ',' at character 11, found ')'"),
        ("A in blanket(B", "expected ')' where the text ends"),
        ('"A -> B', "a double quote is opened, and not closed, at character 1"),
        ("A -> E", "no variable is called 'E': there is 'A', 'B', 'C' and 'D'"),
        ('"A " -> B', "no variable is called 'A ': did you mean 'A'?"),
        ("A B -> C", "no variable is called 'A B'"),
        ("A -> A", "feature 'A -> A': names 'A' twice"),
        ("parents(B) = {B}", "names 'B' twice"),
        ("(" * 5000 + "A -> B", "too many parentheses inside each other"),
        (5, "a text such as 'A -> B'"),
    ],
)
def test_a_mistake_is_told_in_one_line(text, message):
    with pytest.raises(OptionError) as caught:
        parse(text, NAMES)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_nearly_right_is_suggested():
    with pytest.raises(OptionError, match=r"did you mean 'blood pressure'\?"):
        parse("blod pressure -> A", ["A", "blood pressure"])


# Any names

PIECES = [*SIGNS, *WORDS, "and", "or", "not", "in", "A", "B", " ", '"', ",", "(", ")", "{", "}"]
PIECES += ["=", "|", "/", "\\", "<script>", "😀", "\n", "", "-", "_", ".", "%", "A -> B", "not A"]
name = st.text() | st.lists(st.sampled_from(PIECES), max_size=4).map("".join)


def statements(names):
    two = st.permutations(names).map(lambda some: some[:2])
    pairs = [edge, adjacent, path, compelled, precedes, in_blanket, d_separated]
    sets = [parent_set, blanket]
    return (
        st.builds(lambda make, some: make(*some), st.sampled_from(pairs), two)
        | st.builds(
            lambda make, some, k: make(some[0], some[1 : 1 + k]),
            st.sampled_from(sets),
            st.permutations(names),
            st.integers(0, 3),
        )
        | st.permutations(names).map(lambda some: v_structure(*some[:3]))
        | st.permutations(names).map(lambda some: d_separated(some[0], some[1], some[2:4]))
    )


def combinations(features):
    return st.recursive(
        features,
        lambda some: (
            some.map(lambda f: ~f)
            | st.tuples(some, some).map(lambda two: two[0] & two[1])
            | st.tuples(some, some).map(lambda two: two[0] | two[1])
        ),
        max_leaves=5,
    )


@st.composite
def names_and_feature(draw):
    names = draw(st.lists(name, min_size=4, max_size=6, unique=True))
    return names, draw(combinations(statements(names)))


@given(names_and_feature())
@example((["A", "B", "A -> B", "not A"], ~edge("A", "B")))
@example((["A", "B", "A and B", "B and A -> B"], edge("A", "B") & edge("B", "A")))
@example((["in", "in blanket", "blanket", ""], in_blanket("in", "blanket")))
@example((["_", "_||_", "|", "||"], d_separated("_", "|", ["||", "_||_"])))
def test_any_feature_of_any_names_comes_back_from_its_text(case):
    names, feature = case
    assert parse(str(feature), names) == feature


@given(st.lists(name, min_size=1, max_size=5, unique=True), st.text() | name)
def test_any_text_is_a_feature_or_a_clear_refusal(names, text):
    try:
        feature = parse(text, names)
    except OptionError as refusal:
        assert len(str(refusal).splitlines()) == 1  # noqa: PT017
    else:
        assert parse(str(feature), names) == feature
