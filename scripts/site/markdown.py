# SPDX-License-Identifier: MIT
"""Pages of the repository as pages of the site: links, and what GitHub's Markdown allows and Python's does not."""
import os
import posixpath
import re

LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)((?:\s+\"[^\"]*\")?\))")
SOURCE = re.compile(r"(<img[^>]*\ssrc=\")([^\"]+)(\")")
ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s")


def outside_code(text, change):
    """Applies change(lines) to all runs of lines that are not in a fenced block."""
    out, run, fence = [], [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            if not fence:
                out += change(run)
                run = []
                line = re.sub(r"^(\s*```\w+) (\S+)$", r'\1 title="\2"', line)
            fence = not fence
            out.append(line)
        elif fence:
            out.append(line)
        else:
            run.append(line)
    return "\n".join(out + change(run))


def space(lines):
    """An empty line before lists and tables, which Python's Markdown asks for."""
    out = []
    for line in lines:
        before = out[-1] if out else ""
        list_starts = ITEM.match(line) and before.strip() and not ITEM.match(before) and not before.startswith((" ", "\t"))
        table_starts = line.startswith("|") and before.strip() and not before.startswith("|")
        if list_starts or table_starts:
            out.append("")
        out.append(line)
    return out


def relink(text, page, places, root, keep):
    """Points links at the site's pages. `page` is the file's path in the repository, `places` where pages of the
    repository are in the site; keep(path) copies another file and gives its place, or None."""
    here = posixpath.dirname(places[page])

    def target(link):
        if re.match(r"[a-z]+:|#", link):
            return link
        path, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        place = places.get(path)
        if place is None and os.path.isfile(os.path.join(root, path)):
            place = keep(path)
        if place is None:
            return None
        return posixpath.relpath(place, here or ".") + (f"#{anchor}" if anchor else "")

    def replace(match):
        link = target(match[2])
        if link is None:  # a folder, or what only the repository has: its name stays
            return re.sub(r"^!?\[|\]\($", "", match[1]) if match[1].endswith("](") else match[0]
        return match[1] + link + match[3]

    change = lambda lines: [SOURCE.sub(replace, LINK.sub(replace, line)) for line in space(lines)]
    return outside_code(text, change)
