"""Checks the commands of make, cargo, reblock and scripts that pages show; runs cheap commands."""
import os
import re
import shlex
import subprocess
import tempfile
import tomllib
from markdown import ROOT

ASSIGNMENT = re.compile(r"[A-Z_]+=")
# Beginning of the comment before a block that shows the end of a command's output.
WRITTEN = "ends what is written by: "
BENCHES = re.compile(r"(BENCH|NET)_[A-Z_]+")


def check(pages):
    seen = set()
    for page in pages:
        for line in commands_of(page):
            for what in wrong(line, seen):
                yield f"{page.name}: {line}: {what}"
        for block in page.blocks:
            line = block.mark.partition(WRITTEN)[2]
            if line and not written(line).rstrip().endswith(block.text.rstrip()):
                yield f"{page.name}:{block.line}: is not the end of what {line} writes"


def written(line):
    return subprocess.run([os.environ["REBLOCK"], *shlex.split(line)[1:]], capture_output=True, text=True).stdout


def commands_of(page):
    for block in page.blocks:
        lines = block.text.replace("\\\n", " ").split("\n")
        if block.language == "sh":
            yield from lines
        elif block.language == "console":
            yield from (line[2:] for line in lines if line.startswith("$ "))
    for code in page.code():
        if re.match(r"([A-Z_]+=(\"[^\"]*\"|'[^']*'|\S*) )*(make|cargo|reblock|tests/\w+)( |$)", code) and "…" not in code:
            yield code


def wrong(line, seen):
    """Yields errors of a line that shows a command. `seen` has the lines that have been checked already."""
    if line in seen:
        return
    seen.add(line)
    try:
        words = shlex.split(line, comments=True)
    except ValueError:  # not a complete command: a here-document, or text of a script
        return
    while words and ASSIGNMENT.match(words[0]):
        name = words.pop(0).partition("=")[0]
        if BENCHES.fullmatch(name) and not any(name in path.read_text() for path in ROOT.glob("benches/*.sh")):
            yield f"no script in benches/ reads {name}"
    if not words:
        return
    program = os.path.basename(words[0])
    if program == "make":
        yield from made([word for word in words[1:] if not ASSIGNMENT.match(word)])
    elif program == "cargo":
        yield from built(words[1:])
    elif any(os.path.basename(word) == "reblock" for word in words):
        # The command may come after a launcher.
        at = [os.path.basename(word) for word in words].index("reblock")
        yield from answered(words[at + 1:])
    elif words[0].startswith("tests/") and not os.access(ROOT / words[0], os.X_OK):
        yield "there is no such script"


def made(targets):
    for target in targets:
        if re.search(r"[A-Z]{2}", target):  # a placeholder, as in example-NAME
            continue
        done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            yield done.stderr.strip()


def built(words):
    """Checks that the names after --bin, --example, --bench and --features are in Cargo.toml, or found by cargo."""
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    kinds = {"--bin": "bin", "--example": "example", "--bench": "bench"}
    for option, name in zip(words, words[1:]):
        if option == "--":
            break
        if option in kinds:
            if name not in [entry["name"] for entry in manifest[kinds[option]]]:
                yield f"Cargo.toml has no {kinds[option]} {name}"
        if option == "--features":
            for feature in name.split(","):
                if feature not in manifest["features"]:
                    yield f"Cargo.toml has no feature {feature}"


def options(words, text):
    """Yields the options of a subcommand with the help `text`, without the options of the program that `run` starts."""
    if words[0] != "run":
        yield from (word for word in words[1:] if word.startswith("-"))
        return
    k = 1
    while k < len(words) and words[k].startswith("-") and words[k] != "--":
        yield words[k]
        k += 2 if re.search(rf"{re.escape(words[k])}(, --[\w-]+)? <", text) else 1


def answered(words):
    """Runs `explain`, in a folder of its own and for few ranks; checks the options of other subcommands."""
    reblock = os.environ["REBLOCK"]
    if not words:
        return
    help = subprocess.run([reblock, words[0], "--help"], capture_output=True, text=True)
    if help.returncode != 0:
        yield "there is no such subcommand"
        return
    for word in options(words, help.stdout):
        if not re.search(rf"(^|[\s,]){re.escape(word)}\b", help.stdout):
            yield f"there is no option {word}"
    if words[0] == "explain" and "--shape" in words:
        with tempfile.TemporaryDirectory() as folder:
            words = [f"{folder}/drawing.svg" if word.endswith(".svg") else word for word in words]
            few = ["--ranks", "64"] if "--simulate" in words else []
            done = subprocess.run([reblock, *words, *few], capture_output=True, text=True)
            if done.returncode != 0:
                yield f"ends with {done.returncode}: {done.stderr.strip()}"
