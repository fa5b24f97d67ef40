# SPDX-License-Identifier: MIT
"""The public headers as pages: comments as text, declarations as they are written."""
import re

NAME = re.compile(r"\(\*(\w+)\)\(|\b(td_\w+)\(|\b(td_\w+)(?:\[[^\]]*\])?;|#define\s+(TD_\w+)")


def blocks(text):
    """(comment, declaration) after declaration; comments that stand alone have an empty one."""
    comment, declared, depth = [], [], 0
    for line in text.split("\n"):
        plain = line.strip()
        if not declared and plain.startswith("///"):
            comment.append(plain[3:].removeprefix(" "))
            continue
        if not declared and (not plain or plain.startswith(("//", "#include", "#pragma", "#if", "#endif", "#else", "extern", "}"))):
            if comment and not plain:
                yield "\n".join(comment), ""
                comment = []
            continue
        declared.append(line)
        code = re.sub(r"//.*", "", line)
        depth += code.count("{") - code.count("}")
        macro = declared[0].startswith("#define")
        if (macro and not line.rstrip().endswith("\\")) or (not macro and depth == 0 and code.rstrip().endswith((";", "}"))):
            yield "\n".join(comment), "\n".join(declared)
            comment, declared = [], []
    if comment:
        yield "\n".join(comment), ""


def name_of(declaration):
    if declaration.startswith("typedef") and "{" in declaration:
        return re.search(r"\}\s*(\w+)\s*;", declaration)[1]
    found = NAME.search(re.sub(r"//.*", "", declaration))
    return next((g for g in found.groups() if g), None) if found else None


def header_page(path):
    """(title, page) of a header."""
    text = path.read_text()
    out, about = [f"# {path.name}", ""], True
    for comment, declaration in blocks(text):
        comment = re.sub(r"^@file \S+\n?", "", comment)
        comment = re.sub(r"`?\b(td_\w+\(\))`?", r"`\1`", comment)
        name = name_of(declaration) if declaration else None
        if name:
            out += [f"## `{name}`", ""]
            about = False
        if comment:
            out += [comment, ""]
        if declaration:
            out += ["```c", declaration.replace("///< ", "// "), "```", ""]
        if about and comment and f"#include <tendril/{path.name}>" not in "\n".join(out):
            out += ["```c", f"#include <tendril/{path.name}>", "```", ""]
    return path.name, "\n".join(out)


def summary(path):
    """The first sentence of a header's comment."""
    found = re.search(r"/// @file \S+\n((?:///.*\n)+)", path.read_text())
    words = " ".join(line.strip("/ ") for line in found[1].split("\n")) if found else ""
    return re.split(r"(?<=\.)\s", words)[0].strip()
