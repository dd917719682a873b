"""Runs NVIDIA's own checkers where they are installed: compute-sanitizer on small problems, a profile by nsys."""
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PLACES = ("/usr/local/cuda/bin", "/opt/cuda/bin")


def find(name):
    """A tool on PATH, of CUDA_HOME or where CUDA's installer puts it."""
    home = os.environ.get("CUDA_HOME")
    places = [*([f"{home}/bin"] if home else []), *PLACES]
    return shutil.which(name) or next((f"{p}/{name}" for p in places if Path(p, name).exists()), None)


def clean(command, limit):
    """Empty: the checker ran and found nothing; else why not."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"no end within {limit} s"
    said = done.stdout + done.stderr
    if done.returncode:
        errors = [line for line in said.splitlines() if line.startswith("=====") and "error" in line.lower()]
        return f"exit code {done.returncode}: {(errors or said.strip().splitlines() or ['no message'])[0].strip()}"
    return "" if "COMPUTE-SANITIZER" in said else "the checker said nothing"


def sanitize(runs, _, cases, wanted):
    """Each checker on each sum of the first kernel."""
    title = "## compute-sanitizer"
    if wanted.sanitizer == "none":
        return f"{title}\n\nNot run: not asked for.", 0, 0
    program = find(wanted.sanitizer or "compute-sanitizer")
    if wanted.sanitizer and not program:
        return f"{title}\n\nFAILED: {wanted.sanitizer} is not here.", 0, 1
    if not wanted.sanitizer and not runs.target.startswith("cuda"):
        return f"{title}\n\nNot run: it is for CUDA.", 0, 0
    if not program:
        return f"{title}\n\nNot run here: it is not on PATH, nor in {', '.join(PLACES)}.", 0, 0
    text, good, bad = [], 0, 0
    tried = [c for c in cases if c[0] == cases[0][0]]

    def checked(tool, kernel, manifest, key):
        command = runs.command(kernel, manifest, key, (1, 63, 253), "torus,major=20,minor=8,around=12,tube=8")
        why = clean([program, "--tool", tool, "--target-processes", "all", "--error-exitcode", "9", *command], wanted.limit)
        return f"{' '.join((kernel, *key))} ({why})" if why else ""

    with ThreadPoolExecutor(wanted.jobs) as pool:
        for tool in ("memcheck", "racecheck", "synccheck"):
            failed = [said for said in pool.map(lambda case: checked(tool, *case), tried) if said]
            good, bad = good + (not failed), bad + bool(failed)
            text.append(f"- {tool}: {len(tried) - len(failed)} of {len(tried)} clean" + "".join(f"; NOT {f}" for f in failed))
            print(text[-1][2:], flush=True)
    return "\n".join([title, "", *text]), good, bad


def profile(runs, _, cases, wanted):
    """A profile by nsys, to be looked at: it passes where it was written."""
    title, program = "## nsys", find("nsys")
    if not runs.target.startswith("cuda") or not program:
        return f"{title}\n\nNot run here: {'it is not installed' if runs.target.startswith('cuda') else 'it is for CUDA'}.", 0, 0
    kernel, manifest, key = next((c for c in cases if c[2][1] == "product" and c[2][3] == "direct"), cases[0])
    file, n = wanted.output / "streams", wanted.streams_size or 512
    command = [program, "profile", "--trace=cuda", "--force-overwrite=true", "-o", str(file), *runs.command(kernel, manifest, key, (1, n, n))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=wanted.limit)
    except subprocess.TimeoutExpired:
        done = None
    if done is None or done.returncode or not file.with_suffix(".nsys-rep").exists():
        return f"{title}\n\nFAILED: no profile was written.", 0, 1
    return f"{title}\n\nA profile is in {file.name}.nsys-rep.", 1, 0
