"""Runs NVIDIA's own checkers where they are installed: compute-sanitizer on small problems, a timeline of the streams by nsys."""
import shutil
import subprocess


def sanitize(cases, make, limit):
    """Each tool on each class and algorithm of the first kernel; counts and a note a tool."""
    notes, good, bad = [], 0, 0
    tried = [c for c in cases if c[0] == cases[0][0]]
    for tool in ("memcheck", "racecheck", "synccheck"):
        failed = []
        for kernel, manifest, key in tried:
            command = ["compute-sanitizer", "--tool", tool, "--target-processes", "all", "--error-exitcode", "9", *make(kernel, manifest, key, 9)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
                clean = done.returncode == 0 and "COMPUTE-SANITIZER" in done.stdout + done.stderr
            except subprocess.TimeoutExpired:
                clean = False
            failed += [] if clean else [" ".join((kernel, *key))]
        good, bad = good + (not failed), bad + bool(failed)
        notes.append(f"compute-sanitizer {tool}: {len(tried) - len(failed)} of {len(tried)} clean" + "".join(f"; not {f}" for f in failed))
        print(notes[-1], flush=True)
    return notes, good, bad


def timeline(cases, make, output, size, limit):
    """A profile of three streams, to be looked at: it passes where it was written."""
    kernel, manifest, key = next((c for c in cases if c[2][1] == "product" and c[2][3] == "direct"), cases[0])
    file = output / "streams"
    command = ["nsys", "profile", "--trace=cuda", "--force-overwrite=true", "-o", str(file), *make(kernel, manifest, key, size)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        done = None
    if done is None or done.returncode or not file.with_suffix(".nsys-rep").exists():
        return "nsys: no timeline was written", 0, 1
    return f"nsys: timeline in {file}.nsys-rep, to be looked at for overlap of copies and kernels", 1, 0


def all_tools(target, cases, make, wanted):
    """Notes for the table, and how many passed and failed."""
    if not target.startswith("cuda") or not cases:
        return ["compute-sanitizer and nsys: not run, they are for CUDA"], 0, 0
    notes, good, bad = (["compute-sanitizer: not installed, not run"], 0, 0)
    if shutil.which("compute-sanitizer"):
        notes, good, bad = sanitize(cases, make, wanted.limit)
    if not shutil.which("nsys"):
        return [*notes, "nsys: not installed, no timeline"], good, bad
    note, passed, failed = timeline(cases, make, wanted.output, wanted.speed_size or 129, wanted.limit)
    return [*notes, note], good + passed, bad + failed
