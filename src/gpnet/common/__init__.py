"""What every room uses: types, errors, words of messages, checks of arguments, files."""
