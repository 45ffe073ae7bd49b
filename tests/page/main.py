"""Checks the pages against the sources.

| file | checks |
|---|---|
| markdown | none: parses the pages |
| links | links lead to existing files and headings; tables are whole |
| blocks | programs are quoted from tested files, or compile |
| commands | commands exist, and print the output that is shown |
| names | the pages have all settings, functions, fields, error codes and schedulers, and no others |

`main.py quick` checks links and quotations only, needs no library and compiles nothing.
"""
import sys
import blocks
import commands
import links
import markdown
import names

pages = markdown.pages()
if sys.argv[1:] == ["quick"]:
    parts = (links.check, blocks.quotations)
else:
    parts = (links.check, blocks.check, commands.check, names.check)
failures = [what for check in parts for what in check(pages)]
for what in failures:
    print(f"FAILED: {what}", file=sys.stderr)
programs = [block for page in pages for block in page.blocks if block.language in blocks.PROGRAMS]
print(f"pages: {len(pages)} pages, {sum(len(list(page.links())) for page in pages)} links, {len(programs)} programs or parts of them")
sys.exit(bool(failures))
