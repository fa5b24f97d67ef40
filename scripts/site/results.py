# SPDX-License-Identifier: MIT
"""A page of validations and benchmarks, measured by the command of this commit."""
import json
import os
import platform
import subprocess

# those that say most and take least
BENCHES = ("grow", "mesh", "forward", "step", "realtime", "threads", "constraints", "rod", "helix")


def rows(command, *args):
    done = subprocess.run([command, *args, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"{command} {' '.join(args)}: exit {done.returncode}\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def number(value):
    return f'<span class="number">{value:.4g}</span>' if isinstance(value, (int, float)) else str(value)


def escape(text):
    return str(text).replace("|", "\\|")


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())
    except OSError:
        return platform.machine()


def validations(found):
    cases = list(dict.fromkeys(row["case"] for row in found))
    passed = sum(row["pass"] for row in found)
    out = ["## Validations", "", f"{passed} of {len(found)} results of {len(cases)} cases are within their limits.", ""]
    for case in cases:
        out += [f"### {case}", "", "| quantity | n | got | wanted | error | limit | |", "|---|---|---|---|---|---|---|"]
        out += ["| " + " | ".join([escape(r["quantity"]), number(r["n"]), number(r["got"]), number(r["want"]),
                                   number(r["error"]), number(r["limit"]), "✓" if r["pass"] else "**✗**"]) + " |"
                for r in found if r["case"] == case]
        out.append("")
    return out


def benchmarks(found):
    out = ["## Benchmarks", "", f"On {processor()}, {os.cpu_count()} cores, with whatever else it was doing.", ""]
    for case in dict.fromkeys(row["case"] for row in found):
        out += [f"### {case}", "", "| what | n | value | |", "|---|---|---|---|"]
        out += [f"| {escape(r['variant'])} | {number(r['n'])} | {number(r['value'])} | {escape(r['unit'])} |"
                for r in found if r["case"] == case]
        out.append("")
    return out


def page(command, seconds):
    ask = lambda *args: subprocess.run(["git", *args], capture_output=True, text=True).stdout.strip()
    commit = ask("log", "-1", "--format=%h of %cs") + (", with changes on top" if ask("status", "--porcelain") else "")
    head = ["# Results", "", f"Measured while this site was built, by `tendril validate` and `tendril bench --seconds {seconds}` "
            f"of commit {commit}. [Validation](theory/validation.md) explains the cases.", ""]
    checked = rows(command, "validate")
    measured = rows(command, "bench", *BENCHES, "--seconds", str(seconds))
    return "\n".join(head + validations(checked) + benchmarks(measured))
