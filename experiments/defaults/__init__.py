"""Which score, kernel and structure prior `gpnet learn` should have unless told otherwise."""
