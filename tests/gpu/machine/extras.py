"""Runs that need a library of their own: sine and cosine of the hardware, and streams with their timeline."""
import itertools
import json
import re

LARGE = "torus,major=20,minor=8,around=256,tube=128"


def hardware(runs, here, _, wanted):
    """The error of whole runs with the device's own sine and cosine, beside that of the polynomials."""
    lines, good, bad = [], 0, 0
    if not (here / "extra" / "born-hardware1.so").exists():
        return "## Sine and cosine of the hardware\n\nNot run: the folder has no libraries for it.", 0, 0
    manifest = json.loads((here / "extra" / "born.json").read_text())
    for grid, q in itertools.product(("product", "points"), ("real", "complex")):
        key, results = ("f32", grid, q, "direct"), []
        for h in (0, 1):
            results.append(runs.checked("born", manifest, key, wanted.size, here / "extra" / f"born-hardware{h}.so"))
            good, bad = good + (not results[-1].failure), bad + bool(results[-1].failure)
        failure = "; ".join(r.failure for r in results if r.failure)
        lines.append(f"| {grid} | {q} | {results[0].error} | {results[1].error} | {failure or 'passed'} |")
    return "\n".join(["## Sine and cosine of the hardware", "",
                      "Error of max\\|F\\| of `born`, f32, direct, end to end: by polynomials, and by the device's own sine and cosine after reduction.", "",
                      "| grid | q.z | polynomials | hardware | |", "| --- | --- | --- | --- | --- |", *lines]), good, bad


def tensor(runs, here, _, wanted):
    """Separable sums in double on tensor cores: their error on odd numbers of q, their speed on a large problem."""
    title, library = "## Tensor cores", here / "extra" / "born-tensor.so"
    if not library.exists():
        return f"{title}\n\nNot run: the folder has no library for it (it needs nvcc where it is packed).", 0, 0
    manifest = json.loads((here / "extra" / "born.json").read_text())
    lines, good, bad, n = [], 0, 0, wanted.speed_size
    for q in ("real", "complex"):
        key = ("f64", "product", q, "separable")
        small = runs.checked("born", manifest, key, wanted.size, library)
        large = runs.judged("born", manifest, key, (n, n - 2, n - 4), LARGE, library) if n and not small.failure else small
        failure = small.failure or large.failure
        good, bad = good + (not failure), bad + bool(failure)
        speed = f"{float(large.speed) / 1e12:.3g}" if n and not failure else "-"
        lines.append(f"| {q} | {small.error} | {large.error if n else '-'} | {speed} | {failure or 'passed'} |")
    return "\n".join([title, "", "`born`, separable, f64, in 10^12 records times q a second, transfers and all.", "",
                      "| q.z | error | error, larger | speed | |", "| --- | --- | --- | --- | --- |", *lines]), good, bad


def streams(runs, here, _, wanted):
    """One problem with one stream and with three; the timeline of both, drawn."""
    title = "## Streams"
    if not wanted.streams_size or not (here / "extra" / "born-streams1.so").exists():
        return f"{title}\n\nNot run: {'not asked for' if not wanted.streams_size else 'the folder has no libraries for it'}.", 0, 0
    manifest = json.loads((here / "extra" / "born.json").read_text())
    key, text, seconds, failures = ("f32", "product", "real", "direct"), [], {}, []
    for count in (1, 3):
        picture = wanted.output / f"streams{count}.png"
        result = runs.judged("born", manifest, key, (1, wanted.streams_size, wanted.streams_size),
                             library=here / "extra" / f"born-streams{count}.so", more=("--timeline", str(picture)))
        said = re.search(r"^timeline +\S+: (.*)$", result.output, re.M)
        most = re.search(r"at most (\d+) at once", said[1]) if said else None
        calls = re.match(r"(\d+) calls", said[1]) if said else None
        taken = re.search(r"triangle-q-points in (\S+) s", result.output)
        failure = result.failure
        if not failure and not (said and most and picture.exists()):
            failure = "no timeline was written"
        elif not failure and count == 1 and most[1] != "1":
            failure = "one stream had several calls under way"
        elif not failure and count == 3 and int(calls[1]) >= 6 and most[1] == "1":
            failure = "calls of three streams never overlapped"
        failures += [f"{count} streams: {failure}"] if failure else []
        seconds[count] = float(taken[1]) if taken else 0
        text += [f"{count} stream{'s' if count > 1 else ''}: {failure or said[1]}; the run took {seconds[count]:.3f} s.", ""]
        text += [] if failure else [f"![{count} stream{'s' if count > 1 else ''}]({picture.name})", ""]
    if all(seconds.values()):
        text.append(f"Three streams ran {seconds[1] / seconds[3]:.2f} times as fast as one, times kept in both.")
    return "\n".join([title, "", *text]), 2 - len(failures), len(failures)
