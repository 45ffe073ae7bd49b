#!/usr/bin/env python3
"""Checks that links of installed pages lead to installed files and their headings: tests/page/installed.py FOLDER"""
import pathlib
import sys
import markdown

markdown.ROOT = pathlib.Path(sys.argv[1]).resolve()
import links

found = [markdown.Page(path) for path in sorted(markdown.ROOT.rglob("*.md"))]
dead = [what for page in found for what in links.dead({other.path: other.anchors() for other in found}, page)]
for what in dead:
    print(f"FAILED: {what}", file=sys.stderr)
if not found:
    sys.exit(f"FAILED: no page in {markdown.ROOT}")
print(f"installed pages: {len(found)}, with {sum(len(list(page.links())) for page in found)} links")
sys.exit(bool(dead))
