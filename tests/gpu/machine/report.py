"""Reads what `facet run` reports of error and speed, and writes the table."""
import datetime
import re
import shutil
import subprocess
from dataclasses import dataclass


@dataclass
class Result:
    error: str = "-"    # of max|F|, against the reference in double
    asked: str = "-"
    speed: str = "-"    # TQP/s
    failure: str = ""   # empty: as it must be
    other: str = ""     # the sum that ran in the place of the one meant
    output: str = ""    # what facet said


def run(command, key, target, limit, environment=None, choose=False):
    """A run, judged: it must end well, by the sum that is meant unless the planner may `choose`, with the error asked for."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        return Result(failure=f"no end within {limit} s")
    if done.returncode:
        return Result(failure=f"exit code {done.returncode}: {(done.stderr.strip() or 'no message').splitlines()[0]}")
    result, (klass, kind, q, algorithm) = Result(output=done.stdout), key
    what = f"{algorithm} on a {kind} grid, {'complex q, ' if q == 'complex' else ''}{klass}, {target}"
    said = re.search(r"^algorithm +(.*?)(?:, \d+ threads?:.*)?$", done.stdout, re.M)
    if not said or said[1] != what:
        result.other = said[1] if said else "no report"
        result.failure = "" if choose and said else f"ran by another sum: {result.other}"
    if speed := re.search(r"^speed +(\S+) TQP/s", done.stdout, re.M):
        result.speed = speed[1]
    error = re.search(r"^error +(\S+) of max\|F\|, (\S+) asked for: (.*?)( \(|$)", done.stdout, re.M)
    if not error:
        result.failure = result.failure or "no error was reported"
        return result
    result.error, result.asked = error[1], error[2]
    # By the numbers, not by the word alone; a NaN is not below anything.
    if not (float(error[1]) <= float(error[2]) and error[3] == "met"):
        result.failure = result.failure or f"error {error[1]}, {error[2]} asked for: {error[3]}"
    return result


def driver():
    if not shutil.which("nvidia-smi"):
        return "no nvidia-smi"
    done = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True)
    return "; ".join(done.stdout.strip().splitlines()) or "nvidia-smi says nothing"


def write(file, target, chip, rows, sections):
    lines = [f"# `{target}` on {chip}", "", f"Driver: {driver()}. {datetime.date.today()}.", "",
             "Error: of max|F|, against the reference in double. Speed: of the whole run of the larger problem, transfers and all, in 10^12",
             "records times q a second.", "",
             "| kernel | class | grid | q.z | algorithm | error | asked | error, larger | speed | |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for (kernel, klass, grid, q, algorithm), small, large, failure in rows:
        speed = f"{float(large.speed) / 1e12:.3g}" if large and large.speed != "-" else "-"
        lines.append(f"| `{kernel}` | {klass} | {grid} | {q} | {algorithm} | {small.error} | {small.asked} | {large.error if large else '-'} | "
                     f"{speed}{f' by {large.other}' if large and large.other else ''} | "
                     f"{failure or 'passed'} |")
    part = file.with_suffix(".part")
    part.write_text("\n".join([*lines, "", "\n\n".join(sections), ""]))
    return part.replace(file)
