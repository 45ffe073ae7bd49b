"""Checks that the pages have all settings, functions, fields, error codes and schedulers, and no others."""
import re
import tomllib
from markdown import ROOT, page


# Variables that reblock sets for itself.
INTERNAL = {"REBLOCK_JOINS", "REBLOCK_RUN"}


def check(pages):
    header = "\n".join(path.read_text() for path in sorted(ROOT.glob("include/**/*.h*")))
    yield from variables(pages, header)
    yield from options(page("docs/settings.md", pages), header)
    yield from errors(page("docs/arrays.md", pages), header)
    yield from schedulers(page("docs/schedulers.md", pages))
    yield from functions(pages, header)
    yield from versions(pages)


def column(of, head, place=0):
    """Returns the code in column `place` of the table whose head begins with `head`."""
    for rows in of.tables():
        if rows[0][1][0] == head:
            return [code for _, cells in rows[2:] for code in re.findall(r"`([^`]+)`", cells[place])]
    raise SystemExit(f"FAILED: {of.name} has no table of '{head}'")


def variables(pages, header):
    constants = set(re.findall(r"#\s*(?:define|ifdef|ifndef) (REBLOCK_\w+)", header))
    read = set()
    for path in [*ROOT.glob("src/**/*.rs"), *ROOT.glob("planner/src/**/*.rs")]:
        read |= set(re.findall(r'(?<!c)"(REBLOCK_(?!TEST_)[A-Z_]+)"', path.read_text()))
    settings = page("docs/settings.md", pages)
    listed = set(column(settings, "variable"))
    documented = {name for code in settings.code() for name in re.findall(r"REBLOCK_[A-Z_]+(?!\w)", code)} - constants
    for name in sorted(read - constants - documented):
        yield f"docs/settings.md does not have {name}, which the code reads"
    for name in sorted((listed | documented) - read):
        yield f"docs/settings.md has {name}, which the code does not read"
    for name in sorted(documented - listed - INTERNAL):
        yield f"docs/settings.md has {name}, but not in its table"
    for other in (other for other in pages if other.name != "CHANGELOG.md"):
        text = "\n".join(other.lines)
        for name in sorted(set(re.findall(r"\bREBLOCK_[A-Z_]*[A-Z]\b(?!_)", text)) - constants - listed - INTERNAL - {"REBLOCK_TEST_SEED"}):
            if not any(constant.startswith(name + "_") for constant in constants):
                yield f"{other.name} has {name}, which is neither a setting nor a constant"


def options(settings, header):
    for name in ("reblock_plan_options", "reblock_job_options"):
        body = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (name, name), header, re.S)
        if body is None:
            yield f"the header has no {name}"
            continue
        code = re.sub(r"//[^\n]*|/\*.*?\*/", "", body[1], flags=re.S)
        lines = [line.strip() for line in re.sub(r"\)\(.*?\)", ")", code).split(";") if line.strip()]
        fields = {re.search(r"\(\*(\w+)\)|(\w+)$", line)[0].strip("(*)") for line in lines}
        documented = set(column(settings, f"field of `{name}`"))
        if fields != documented:
            yield f"docs/settings.md has the fields {sorted(documented)} of {name}, expected {sorted(fields)}"


def errors(arrays, header):
    codes = dict(re.findall(r"#define (REBLOCK_(?:OK|ERR_\w+)) (\d+)", header))
    documented = {}
    for rows in arrays.tables():
        if rows[0][1][:2] == ["number", "code"]:
            documented = {cells[1].strip("`"): cells[0] for _, cells in rows[2:]}
    if codes != documented:
        yield f"docs/arrays.md has the codes {documented}, expected {codes}"


def schedulers(of):
    table = re.findall(r'name: "([\w-]+)"', (ROOT / "planner/src/schedule/table/mod.rs").read_text())
    documented = column(of, "name")
    if documented != table:
        yield f"docs/schedulers.md has the schedulers {documented}, expected {table}"


# Names of libraries, modules and types that look like functions of the library.
OTHERS = {"reblock_core", "reblock_fortran", "reblock_hpf", "reblock_hpf_f08", "reblock_ilp64", "reblock_scalapack"}


def functions(pages, header):
    fortran = "\n".join(path.read_text() for path in ROOT.glob("fortran/**/*.f90"))
    known = set(re.findall(r"\breblock_\w+", header + fortran)) | OTHERS
    for of in pages:
        if of.name == "CHANGELOG.md":
            codes = [code for rows in of.tables() for _, cells in rows for code in cells[1:]]
        else:
            codes = of.code() + [block.text for block in of.blocks]
        for name in sorted({name for code in codes for name in re.findall(r"\breblock_\w+", code)}):
            begun = name.endswith("_") and any(other.startswith(name) for other in known)
            if name not in known and not begun:
                yield f"{of.name} has {name}, which no header and no module has"


def versions(pages):
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]["version"]
    if f"\nversion: {version}\n" not in (ROOT / "CITATION.cff").read_text():
        yield f"CITATION.cff has another version than {version}"
    sections = [line for line in page("CHANGELOG.md", pages).lines if line.startswith("## ")]
    released = sections[sections[0] == "## Unreleased":]
    if not released or released[0] != f"## {version}":
        yield f"the versions in CHANGELOG.md begin with {released[:1]}, expected {version}"
    lines = len(page("README.md", pages).lines) - 1
    if lines > 150:
        yield f"README.md has {lines} lines, expected at most 150"
