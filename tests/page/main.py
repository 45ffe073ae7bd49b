"""Are the pages true?

| file | the question it answers |
|---|---|
| markdown | what is in a page? |
| links | do links lead to what is there, and are tables whole? |
| blocks | are programs those that are tested, or can they be compiled? |
| commands | are commands there, and do they write what is shown? |
| names | is everything that can be set, called or returned in the pages, and nothing else? |
"""
import sys
import blocks
import commands
import links
import markdown
import names

pages = markdown.pages()
failures = [what for part in (links, blocks, commands, names) for what in part.check(pages)]
for what in failures:
    print(f"FAILED: {what}", file=sys.stderr)
programs = [block for page in pages for block in page.blocks if block.language in blocks.PROGRAMS]
print(f"pages: {len(pages)} pages, {sum(len(list(page.links())) for page in pages)} links, {len(programs)} programs or parts of them")
sys.exit(bool(failures))
