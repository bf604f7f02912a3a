"""What every room uses: types, errors, the words of messages, checks at the door, files."""
