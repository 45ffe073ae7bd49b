"""Checks the blocks of code in pages: a program must be one that the tests run, or it must compile.

The comment before a block names its source:
    <!-- FILE -->                     the file, word for word
    <!-- from FILE -->                consecutive lines of the file, which may be indented in the file
    <!-- from FILE, without MUST -->  lines of the file in their order, without the macro that checks codes
    <!-- compiled with: LINES -->     statements, which are compiled after these declarations, separated by ;
A block without a comment is compiled unchanged."""
import os
import pathlib
import re
import subprocess
import tempfile
import textwrap
from markdown import ROOT

PROGRAMS = ("c", "cpp", "fortran", "rust", "python")
OTHERS = ("sh", "console", "text", "hpf", "cmake", "toml")


def check(pages):
    yield from located(pages, lambda block: [*quoted(block), *statements(block)])


def quotations(pages):
    """Checks the quotations of files, like check, but compiles nothing."""
    yield from located(pages, quoted)


def located(pages, failures):
    for page in pages:
        for block in page.blocks:
            where = f"{page.name}:{block.line}"
            if block.language not in PROGRAMS + OTHERS:
                yield f"{where}: the language of a block is '{block.language}', expected one of {PROGRAMS + OTHERS}"
            elif block.language in PROGRAMS:
                yield from (f"{where}: {what}" for what in failures(block))


def quoted(block):
    mark = block.mark
    if mark.startswith("from "):
        path, _, how = mark[len("from "):].partition(", ")
        yield from part_of(block.text, path, how)
    elif mark and not mark.startswith("compiled with:"):
        if not (ROOT / mark).exists() or (ROOT / mark).read_text() != block.text:
            yield f"is not {mark} word for word"


def statements(block):
    if block.mark.startswith("compiled with:"):
        lines = block.mark[len("compiled with:"):].split(";")
        yield from compiled(block.language, wrapped(block, [line.strip() for line in lines if line.strip()]))
    elif not block.mark:
        yield from compiled(block.language, block.text)


def part_of(text, path, how):
    if not (ROOT / path).exists():
        yield f"{path} is not there"
        return
    lines = (ROOT / path).read_text().split("\n")
    if how == "without MUST":
        rest = iter([re.sub(r"MUST\((.*)\);", r"\1;", line.strip()) for line in lines])
        missing = next((line for line in text.strip().split("\n") if line not in rest), None)
        if missing is not None:
            yield f"{path} does not have, in this order: {missing}"
        return
    wanted = textwrap.dedent(text).rstrip("\n").split("\n")
    count = len(wanted)
    stretches = ("\n".join(lines[k:k + count]) for k in range(len(lines) - count + 1))
    if how or not any(textwrap.dedent(stretch).split("\n") == wanted for stretch in stretches):
        yield f"{path} does not have these lines"


def wrapped(block, lines):
    if block.language == "c":
        declared = "".join(line + ";\n" for line in lines)
        headers = "#include <reblock.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        return f"{headers}{declared}void block(void);\nvoid block(void) {{\n{block.text}}}\n"
    uses = [line for line in lines if line.startswith("use")] + ["use mpi", "use reblock_hpf", "implicit none"]
    declared = "\n".join(uses + [line for line in lines if not line.startswith("use")])
    return f"subroutine block()\n{declared}\n{block.text}end subroutine block\n"


def compiled(language, text):
    """Yields an error unless the text compiles, as a program or as statements of one."""
    if language == "python":
        try:
            compile(text, "block", "exec")
        except SyntaxError as error:
            yield f"{error}"
        return
    commands = {
        "c": [os.environ["MPICC"], *"-std=gnu11 -fsyntax-only -Wall -Wextra -Werror -Wno-unused -Iinclude -Iexamples".split()],
        "fortran": [os.environ["MPIFORT"], "-fsyntax-only", "-Wall", "-Wno-unused", "-Werror=line-truncation",
                    f"-I{os.environ['TARGET']}/fortran"],
    }
    if language not in commands:
        yield f"a block in {language} is part of a file of examples/, and says so"
        return
    suffix = {"c": ".c", "fortran": ".f90"}[language]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "block" + suffix)
        source.write_text(text)
        done = subprocess.run([*commands[language], str(source)], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            yield f"does not compile:\n{done.stderr or done.stdout}"
