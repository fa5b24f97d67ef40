#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the site of the documentation: build.py BUILD [--quick].

Pages come from the repository, references from headers and the Python package, results from `tendril validate` and
`tendril bench`, and pages that play from `tendril run`. --quick leaves out results and all but one of these.
The site is in BUILD/docs/site; every link of it is checked."""
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

import c_reference
import markdown
import python_reference
import results

root = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1]).resolve()
quick = "--quick" in sys.argv[2:]
work, site = build / "docs", build / "docs" / "site"
pages = work / "pages"
command = build / "tendril"

# Scenes that play in the gallery; their pages are some megabytes each. And how many triangles do.
PLAYED = ("rose-wilts", "weeping-willow-in-gusts", "pull-and-release", "donkey-ears-hit-poses", "knot-trefoil",
          "plectoneme", "wilberforce-pendulum", "hand-through-wheat", "palm-in-wind", "slinky-perversion", "swing",
          "heap-of-sticks", "whip-with-a-knot", "vine-on-a-trellis")
TRIANGLES = 20000
BENCH_SECONDS = 0.2


def places():
    """Where each page of the repository is in the site."""
    out = {"README.md": "index.md", "CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contributing.md",
           "docs/README.md": "contents.md"}
    for path in sorted((root / "docs").rglob("*.md")):
        name = path.relative_to(root).as_posix()
        out.setdefault(name, name.removeprefix("docs/"))
    return out


def keep(path):
    """Copies a file that a page links to."""
    place = path.removeprefix("docs/") if path.startswith("docs/") else f"files/{path}"
    (pages / place).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(root / path, pages / place)
    return place


def stage_pages():
    where = places()
    for page, place in where.items():
        text = markdown.relink((root / page).read_text(), page, where, root, keep)
        write(place, text)
    shutil.copytree(root / "docs" / "site", pages / "site")


def write(place, text):
    (pages / place).parent.mkdir(parents=True, exist_ok=True)
    (pages / place).write_text(text)


def stage_references():
    headers = sorted((root / "include" / "tendril").glob("*.h"))
    nav = [{"Headers": "reference/c/index.md"}]
    rows = ["# C", "", "All of the public interface, header by header, with units, defaults and ownership. `#include <tendril/tendril.h>` "
            "has them all. [In your program](../../guide/embed.md) shows how it is used.", "", "| header | |", "|---|---|"]
    for path in headers:
        title, text = c_reference.header_page(path)
        write(f"reference/c/{path.stem}.md", text)
        rows.append(f"| [{title}]({path.stem}.md) | {c_reference.summary(path)} |")
        nav.append({title: f"reference/c/{path.stem}.md"})
    write("reference/c/index.md", "\n".join(rows) + "\n")
    write("reference/python.md", python_reference.page(root / "python" / "tendril"))
    return nav


def stage_gallery():
    """Pictures of scenes that are run here become links to pages that play."""
    names = PLAYED[:1] if quick else PLAYED
    text = (pages / "gallery.md").read_text()
    for name in names:
        print(f"running {name}", flush=True)
        done = subprocess.run([command, "run", root / "scenes" / f"{name}.yaml", "-o", work / "run",
                               "--triangles", str(TRIANGLES)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{name}: {done.stderr}")
        (pages / "play").mkdir(exist_ok=True)
        shutil.move(work / "run" / "scene.html", pages / "play" / f"{name}.html")
        text = re.sub(rf"!\[{name}\]\((gallery/{name}\.jpg)\)",
                      rf'<a class="plays" href="play/{name}.html" aria-label="Play"><img src="\1" alt="{name}"></a>', text)
    text = text.replace("makes a page that plays each of them.", "makes a page that plays each of them; those with a ▶ play here.")
    write("gallery.md", text)


def configure(headers):
    about = yaml.safe_load((root / "docs" / "site.yml").read_text())
    about.update(docs_dir=str(pages), site_dir=str(site), strict=True)
    reference = next(entry["Reference"] for entry in about["nav"] if "Reference" in entry)
    for entry in reference:
        if "C" in entry:
            entry["C"] = headers
    if quick:
        about["nav"] = [entry for entry in about["nav"] if "Results" not in entry]
    path = work / "mkdocs.yml"
    path.write_text(yaml.safe_dump(about, sort_keys=False))
    return path


def search_from_disk():
    """The index as a script, and docs/site/search.js before the theme's own script in every page."""
    index = (site / "search" / "search_index.json").read_text()
    (site / "search" / "search_index.js").write_text(f"var __search = {{index: Promise.resolve({index})}};\n")
    for path in site.rglob("*.html"):
        text = path.read_text()
        if '<meta name="generator" content="mkdocs' not in text:
            continue  # a page that plays
        text, found = re.subn(r'(<script src="((?:\.\./)*|\./|/)assets/javascripts/bundle)', r'<script src="\2site/search.js"></script>\1', text)
        if found != 1:
            raise SystemExit(f"{path}: the theme has changed: no script to put the search before")
        path.write_text(text)


shutil.rmtree(work, ignore_errors=True)
pages.mkdir(parents=True)
stage_pages()
headers = stage_references()
stage_gallery()
if not quick:
    print("validating and measuring", flush=True)
    write("results.md", results.page(command, BENCH_SECONDS))
subprocess.run(["mkdocs", "build", "--quiet", "--config-file", configure(headers)], check=True)
search_from_disk()
subprocess.run([sys.executable, root / "scripts" / "site" / "links.py", site], check=True)
print(f"{site}/index.html")
