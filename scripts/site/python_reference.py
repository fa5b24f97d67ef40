# SPDX-License-Identifier: MIT
"""The Python package as a page, from its source: signatures and docstrings."""
import ast
import re


def signature(node, method):
    arguments = ast.unparse(node.args)
    if method and not any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list):
        arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({arguments}){returns}"


def document(node):
    text = ast.get_docstring(node) or ""
    return re.sub(r"((?:^>>> .*\n?)+)", r"\n```python\n\1```\n", text, flags=re.M).replace(">>> ", "")


def decorated(node, name):
    return any(ast.unparse(d).endswith(name) for d in node.decorator_list)


def function(node, prefix, level):
    what = node.name
    if decorated(node, "property"):
        head = f"{prefix}{what}"
        kind = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    else:
        head = f"{prefix}{what}"
        kind = signature(node, prefix != "tendril.")
    return [f"{level} `{head}`", "", "```python", f"{head}{kind}", "```", "", document(node), ""]


def class_of(node):
    out = [f"## `{node.name}`", "", document(node), ""]
    name = node.name[0].lower() + node.name[1:]
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            out[2:2] = ["```python", f"tendril.{node.name}{signature(item, True)}", "```", ""]
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_") and not decorated(item, ".setter"):
            out += function(item, f"{name}.", "###")
    return out


def page(package):
    """The page of all names that the package's __all__ lists."""
    tree = ast.parse((package / "__init__.py").read_text())
    names = next(ast.literal_eval(n.value) for n in tree.body
                 if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "__all__")
    out = ["# Python", "", ast.get_docstring(tree), "", "[In Python](../guide/python.md) shows how it is used.", ""]
    found = {}
    for path in sorted(package.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in names:
                found[node.name] = node
    errors = [n for n in found.values() if isinstance(n, ast.ClassDef) and any("Error" in ast.unparse(b) or "Exception" in ast.unparse(b) for b in n.bases)]
    for node in sorted(found.values(), key=lambda n: n.name.lower()):
        if node in errors:
            continue
        out += class_of(node) if isinstance(node, ast.ClassDef) else function(node, "tendril.", "##")
    out += ["## Errors", ""]
    for node in sorted(errors, key=lambda n: n.name):
        out += [f"- `{node.name}` ({', '.join(ast.unparse(b) for b in node.bases)}): {' '.join(document(node).split())}"]
    return "\n".join(out) + "\n"
