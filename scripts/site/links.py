#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks links. links.py: of all pages in the repository, with their anchors; that the site's nav has every page, and that
there are the files of the code that pages name.
links.py SITE: of all pages of a built site."""
import html.parser
import pathlib
import re
import sys
import urllib.parse

root = pathlib.Path(__file__).resolve().parents[2]
faults = []
MADE = ("index.md", "contents.md", "changes.md", "contributing.md", "results.md", "reference/python.md", "reference/c")  # by build.py


def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", lambda m: m[0].replace("[", "").replace("(", ""), text)


def anchors(path):
    """Of headings, as GitHub makes them."""
    out = set()
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
    for head in re.findall(r"^#+ (.*)", text, re.M):
        head = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head)
        slug = re.sub(r"[^\w\- ]", "", head.strip().lower()).replace(" ", "-")
        out.add(slug if slug not in out else f"{slug}-1")
    return out


def check_page(path):
    count = 0
    text = without_code(path.read_text())
    for link in re.findall(r"\]\(([^)\s]+)", text) + re.findall(r"<(?:img|a)[^>]*\s(?:src|href)=\"([^\"]+)\"", text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / urllib.parse.unquote(name)).resolve() if name else path
        count += 1
        if not target.exists():
            faults.append(f"{path.relative_to(root)}: there is no {link}")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            faults.append(f"{path.relative_to(root)}: {name or path.name} has no heading #{anchor}")
    return count


def check_files(path):
    """`src/tree/*.c` and the like, and files of C by their names alone."""
    text = path.read_text()
    for name in re.findall(r"`((?:src|include|tests|scripts)/[\w/*.-]+)`", text):
        if not any(root.glob(name.rstrip("/"))):
            faults.append(f"{path.relative_to(root)}: there is no {name}")
    if path.name != "CHANGELOG.md":  # which names files as they were
        for name in set(re.findall(r"`([a-z_0-9]+\.[ch])`", text)):
            if not any(any((root / folder).rglob(name)) for folder in ("src", "include", "tests", "examples")):
                faults.append(f"{path.relative_to(root)}: there is no {name}")


def check_nav():
    text = (root / "docs" / "site.yml").read_text()
    listed = set(re.findall(r": (\S+\.md|reference/c)$", text, re.M))
    pages = {str(p.relative_to(root / "docs")) for p in (root / "docs").rglob("*.md")} - {"README.md"}
    faults.extend(f"docs/site.yml: its nav lacks {page}" for page in sorted(pages - listed))
    faults.extend(f"docs/site.yml: there is no {page}" for page in sorted(listed - pages - set(MADE)))


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(path.read_text(errors="replace"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.update(attrs[k] for k in ("id", "name") if attrs.get(k))
        self.links += [attrs[k] for k in ("href", "src") if attrs.get(k)]


def check_site(site):
    count, pages = 0, {}
    for path in sorted(site.rglob("*.html")):
        if "play" not in path.relative_to(site).parts and path.name != "404.html":
            pages[path] = Page(path)
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:|//", link):
                continue
            name, _, anchor = link.partition("#")
            target = (path.parent / urllib.parse.unquote(name)).resolve() if name else path
            target = target / "index.html" if target.is_dir() else target
            count += 1
            if not target.exists():
                faults.append(f"{path.relative_to(site)}: there is no {link}")
            elif anchor and target in pages and urllib.parse.unquote(anchor) not in pages[target].ids:
                faults.append(f"{path.relative_to(site)}: {link} has no such anchor")
    return count


if len(sys.argv) > 1:
    links = check_site(pathlib.Path(sys.argv[1]).resolve())
else:
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), root / "web" / "README.md"]
    links = sum(map(check_page, pages))
    for page in pages:
        if page.parent.name != "web" and page.name != "CHANGELOG.md":
            check_files(page)
    check_nav()
print("\n".join(faults + [f"{links} links checked, {len(faults)} lead nowhere"]))
sys.exit(1 if faults or links == 0 else 0)
