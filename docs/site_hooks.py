"""What the site needs beyond MkDocs: links to files that lie outside docs/ become their names."""

import re
from typing import Any

OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./([^)]+)\)")
FOLDER = re.compile(r"\[([^\]]*)\]\(paper\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """In the repository these links lead somewhere; on the site the path has to do."""
    markdown = OUTSIDE.sub(lambda found: f"{found[1]} (`{found[2]}` in the repository)", markdown)
    return FOLDER.sub(lambda found: found[1], markdown)
