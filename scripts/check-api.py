#!/usr/bin/env python3
"""The public interface as headers declare it. Prints what is wrong; exit code 1 if anything is.

- Every public function is called by a test, an example or an example of the guide.
- Every public function that takes a pointer is called with NULL by tests/test_api_null.c.
- Every public function of the library itself is called by the program of random calls, tests/random_api.c.
- A struct that callers fill has a default function, is part of one that has, or is empty when all zero.
- Every public function that returns a status takes a td_diag or a list of them, unless it fails for want of memory or
  for NULL alone, or keeps its fault for a later call.
- A struct with a struct_size has a default function, and that field first.

`check-api.py --list` prints all functions.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FUNCTION = re.compile(r"^TD_API(?:_UNSTABLE)?\s+([^;{}]*?)\b(td_\w+)\(([^;]*?)\);", re.M | re.S)
INLINE = re.compile(r"^static inline [^;{}]*?\b(td_\w+)\(", re.M)
STRUCT = re.compile(r"^typedef struct (td_\w+) \{\n(.*?)^\} \1;", re.M | re.S)


def headers():
    return sorted((ROOT / "include/tendril").glob("*.h"))


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def functions():
    for path in headers():
        text = without_comments(path.read_text())
        for match in FUNCTION.finditer(text):
            yield match[2], path
        for match in INLINE.finditer(text):
            yield match[1], path


def users():
    """The text of all that stands for callers: tests, examples, and programs in the guide."""
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "tests/*.c", "tests/*.h", "tests/*.cpp",
                            "examples/*.c"], cwd=ROOT, text=True, capture_output=True, check=True).stdout.split()
    texts = [without_comments((ROOT / file).read_text()) for file in files if (ROOT / file).exists()
             and file != "tests/test_api_null.c"]  # it calls all of them, for nothing
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        texts += [block for block in re.findall(r"^```c\n(.*?)^```", page.read_text(), re.S | re.M)
                  if "int main(" in block]
    return "\n".join(texts)


def freed_by_owners(text):
    return {name + "_free" for name in re.findall(r"\bOWNED\((td_\w+)\)", text)}


def unused_functions():
    text = users()
    called = set(re.findall(r"\b(td_\w+)\b", text)) | freed_by_owners(text)
    for name, path in functions():
        if name not in called:
            yield f"{path.relative_to(ROOT)}: {name} is used by no test and no example"


def takes_pointers():
    for path in headers():
        for match in FUNCTION.finditer(without_comments(path.read_text())):
            if "*" in match[3]:
                yield match[2], path


def unguarded_functions():
    called = set(re.findall(r"\b(td_\w+)\(", (ROOT / "tests/test_api_null.c").read_text()))
    for name, path in takes_pointers():
        if name not in called:
            yield f"{path.relative_to(ROOT)}: {name} is not called with NULL by tests/test_api_null.c"


def calm_functions():
    files = sorted((ROOT / "tests").glob("random_*"))
    text = "\n".join(file.read_text() for file in files)
    called = set(re.findall(r"\b(td_\w+)\(", text)) | freed_by_owners(text)
    for path in headers():
        if path.name == "ida.h":  # a library of its own, whose steps are slow
            continue
        for match in FUNCTION.finditer(without_comments(path.read_text())):
            if match[2] not in called:
                yield f"{path.relative_to(ROOT)}: {match[2]} is not called at random by tests/random_api.c"


# Functions that fail for want of memory or for NULL alone, and what passes on the status of a sink.
NOTHING_TO_SAY = {"td_clip_arrow_part", "td_clip_collider_part", "td_mesh_glb", "td_scene_reference", "td_skeleton_json", "td_string_text"}


def silent_functions():
    for path in headers():
        for match in FUNCTION.finditer(without_comments(path.read_text())):
            told = "td_diag" in match[3] or match[2] in NOTHING_TO_SAY or match[2].startswith("td_value_builder_")
            if match[1].strip() == "td_status" and not told:
                yield f"{path.relative_to(ROOT)}: {match[2]} returns a status and takes no td_diag"


def structs():
    for path in headers():
        for match in STRUCT.finditer(path.read_text()):
            yield path, match[1], match[2]


# How structs without a default function get their values.
PLAIN = {"td_vec3", "td_quat", "td_sym3", "td_mat4"}
FILLED_BY_THE_LIBRARY = {
    "td_actor", "td_adapt_stats", "td_analytic_contact", "td_assembly_node", "td_box", "td_bytes", "td_clip_collider", "td_clip_scale", "td_constraint_history",
    "td_constraint_report", "td_contact", "td_contact_event", "td_diag", "td_energy", "td_env_query", "td_ida_stats", "td_lcp_result",
    "td_mesh_part", "td_mode", "td_overlap", "td_pick", "td_polygon", "td_push_report", "td_reaction", "td_rest", "td_segment", "td_solver_info", "td_string",
    "td_sums", "td_totals", "td_value", "td_wind_state"}
PART_OF_ANOTHER = {
    "td_adapt_def", "td_field_load", "td_helix_def", "td_instances_def", "td_local_def", "td_pose_load", "td_pull_load", "td_push_load",
    "td_record_def", "td_scene_contact", "td_scene_sleep", "td_section", "td_side_def", "td_strand_def", "td_strand_end", "td_wind_load"}
EMPTY_WHEN_ZERO = {
    "td_actor_id", "td_air", "td_alloc", "td_along", "td_attached_mass", "td_clip_actor", "td_collider_id", "td_constraint_id", "td_contour", "td_define", "td_diag_list",
    "td_environment", "td_grab_id", "td_helix_published", "td_hit", "td_jobs", "td_joint_spring", "td_lcp", "td_load", "td_loader", "td_log", "td_print", "td_ray", "td_rod_body",
    "td_reduce_stats", "td_step_stats", "td_step_times"}


def wrong_structs():
    defaults = {name.removesuffix("_default") for name, _ in functions() if name.endswith("_default")}
    for path, name, body in structs():
        where = f"{path.relative_to(ROOT)}: {name}"
        sized = re.search(r"^    uint32_t struct_size;", body, re.M)
        if sized and without_comments(body).split()[:2] != ["uint32_t", "struct_size;"]:
            yield f"{where}: struct_size is not its first field"
        listed = name in PLAIN | FILLED_BY_THE_LIBRARY | PART_OF_ANOTHER | EMPTY_WHEN_ZERO
        if sized and name not in defaults:
            yield f"{where} has a struct_size and no default function"
        elif name not in defaults and not listed:
            yield f"{where} has no default function; scripts/check-api.py lists those that need none"
        elif name in defaults and listed:
            yield f"{where} has a default function, and scripts/check-api.py says that it needs none"


def main():
    if "--list" in sys.argv:
        print("\n".join(sorted(name for name, _ in functions())))
        return 0
    faults = [*unused_functions(), *unguarded_functions(), *calm_functions(), *silent_functions(), *wrong_structs()]
    print("\n".join(faults) if faults else f"{len(list(functions()))} public functions are used and as they should be")
    return 1 if faults else 0


sys.exit(main())
