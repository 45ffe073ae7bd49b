"""The public names of the module reblock_hpf, from the sources in fortran/."""
import pathlib
import re

FOLDER = pathlib.Path("fortran")


def statements(path):
    """Returns the lines of a source. Joins continued lines, and leaves comments unchanged."""
    joined, held = [], ""
    for line in path.read_text().splitlines():
        line = held + line.strip()
        if line.endswith("&") and not line.startswith("!"):
            held = line[:-1].rstrip() + " "
            continue
        joined.append(line)
        held = ""
    return joined


class Module:
    """The declarations of one source."""

    def __init__(self, name, path):
        self.name = name
        self.public, self.generic, self.procedures, self.types, self.constants = [], {}, {}, {}, {}
        self.comments = {}
        comment, scope, abstract = [], None, False
        for line in statements(path):
            if line.startswith("!"):
                comment.append(line.lstrip("! ").rstrip())
                continue
            if match := re.match(r"public :: (.*)", line):
                self.public += names(match[1])
            elif match := re.match(r"(.*), parameter, public :: (.*)", line):
                for name in re.findall(r"(\w+) = ", match[2]):
                    self.constants[name] = match[1]
                    self.comments[name] = comment
                    self.public.append(name)
            elif (match := re.match(r"type(?:, [^:]*)?(?:, public)[^:]* :: (\w+)$", line)) and not line.startswith("type("):
                scope = ("type", match[1])
                self.types[match[1]] = []
                self.public.append(match[1])
                self.comments[match[1]] = comment
            elif line in ("abstract interface", "end interface"):
                scope, abstract = None, line == "abstract interface"
            elif match := re.match(r"interface (\w+)$", line):
                scope = ("interface", match[1])
                self.generic[match[1]] = []
                self.comments[match[1]] = comment
            elif match := re.match(r"(?:(?:pure|recursive|impure|elemental) )*(subroutine|(?:[\w()]+ )?function) (\w+)\((.*?)\)(.*)$", line):
                scope = ("procedure", match[2])
                result = match[1].removesuffix("function").strip() if match[1] != "subroutine" else None
                value = re.search(r"result\((\w+)\)", match[4])
                self.procedures[match[2]] = {
                    "arguments": names(match[3]), "kinds": {}, "result": result, "value": value[1] if value else match[2],
                    "abstract": abstract,
                }
                self.comments.setdefault(match[2], comment)
            elif re.match(r"end (type|interface|subroutine|function)", line):
                scope = None
            elif scope and scope[0] == "type":
                self.types[scope[1]].append(line)
            elif scope and scope[0] == "interface" and (match := re.match(r"procedure :: (.*)", line)):
                self.generic[scope[1]] += names(match[1])
            elif scope and scope[0] == "procedure" and (match := re.match(r"(.*?) :: (.*)", line)):
                declared(self.procedures[scope[1]], match[1], match[2])
            comment = []


def names(text):
    return [name.strip() for name in re.split(r",\s*(?![^(]*\))", text) if name.strip()]


def declared(procedure, kind, entities):
    """Records the declaration of arguments."""
    for entity in names(entities):
        name, _, shape = entity.partition("(")
        if name == procedure["value"] and procedure["result"] == "":
            procedure["result"] = kind
        if name in procedure["arguments"]:
            procedure["kinds"][name] = (kind, "(" + shape if shape else "")


def used():
    """Returns each module that reblock_hpf uses, with the names that reblock_hpf uses from the module."""
    joined = "\n".join(statements(FOLDER / "reblock_hpf.f90"))
    for name, only in re.findall(r"^use reblock_hpf_(\w+)(?:, only: (.*))?$", joined, re.M):
        module = Module(f"reblock_hpf_{name}", FOLDER / "hpf" / f"{name}.f90")
        yield module, names(only) if only else list(dict.fromkeys(module.public))
