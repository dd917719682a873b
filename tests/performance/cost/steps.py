#!/usr/bin/env python3
"""Rooflines of the plasmon-pole sum, step by step: the formulas as published, then their algebra, then what the schedule does.

    steps.py FACET FACETC PLASMON_POLE.cpp [PICTURE.png]

One thread, f64, the table of `facet roofline` for each step: terms a second, FLOPs a term, GFLOP/s, share of the multiply-add bound by
the instructions of the inner loop. A step that was measured before is measured again after the last, and the best of both counts.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

# The formulas as they are published: three divisions, one for each denominator.
PUBLISHED = """
    const real e = abs(q.x - q.z) < 1e-12 ? 1e-12 : q.x - q.z;
    const cplx d = e - t.w, ratio = t.w * conj(d) / norm2(d);
    const bool far = norm2(d) > 0.25 && norm2(ratio) < 2.5e5, some = norm2(ratio) > 1e-12;
    const cplx x = far ? t.w * t.w * t.inner / (e * e - t.w * t.w) : some ? -t.inner * ratio / (4 * ratio + 2) : 0;
    return {t.m * (e < 0 && norm2(x) > 16 * norm2(t.inner) ? 0 : x), t.m * (far ? ratio * t.inner : 0)};
  }
"""
STEPS = [
    ("as published, a row at a time", True, "tile_y = 1, tile_z = 1, block_t = 512"),
    ("two divisions, shared by the branches; one product of strengths", False, "tile_y = 1, tile_z = 1, block_t = 512"),
    ("tables of rows stay in the first cache", False, "tile_y = 1, tile_z = 1, block_t = 64"),
    ("four rows share what a z reads", False, "tile_y = 4, tile_z = 1, block_t = 64"),
]
REST = "vector_bytes = 0, addition = 0, grid_y = 0, grid_z = 0, threads = 0"


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def measured(facet, facetc, kernel, knobs, cpu, folder):
    """The ceilings and the kernel's part of facet roofline's JSON."""
    shape = json.loads(output(facetc, kernel, "--emit=manifest"))["shape"]
    schedule = {"kernel": "plasmon_pole", "shape": shape, "algorithm": "direct", "class": "f64", "target": cpu["target"],
                "grid": "product", "q": "real", "neighbours": "", "cpu": cpu["cpu"], "facet": cpu["facet"], "halide": cpu["halide"],
                "date": "2000-01-01"}  # fmt: skip
    lines = [f'{key} = "{value}"' for key, value in schedule.items()]
    text = "\n".join(["[[schedule]]", *lines, f"knobs = {{ {knobs}, {REST} }}", "throughput = 1.0", "before = 1.0", ""])
    (folder / "schedule.toml").write_text(text)
    words = "--class", "f64", "--schedules", folder / "schedule.toml", "--json", folder / "found.json"
    output(facet, "roofline", f"{kernel}@direct", *words)
    found = json.loads((folder / "found.json").read_text())
    assert knobs.replace(" ", "") in found["kernels"][0]["knobs"], "the schedule was not taken"
    return found["ceilings"], found["kernels"][0]


def draw(ceilings, rows, file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    figure, axes = plt.subplots(figsize=(7.5, 5.4), layout="constrained")
    peak = ceilings["flops_a_second"]["f64"] / 1e9
    axes.set(xscale="log", yscale="log", xlim=(0.05, 100), ylim=(peak / 8, peak * 1.5), xlabel="FLOPs a byte from the first and the second cache",
             ylabel="GFLOP/s", title=f"plasmon_pole, direct, f64, {ceilings['target']}, one thread")  # fmt: skip
    ticks = [5, 10, 20, 50]
    axes.set_yticks(ticks, [str(tick) for tick in ticks])
    axes.set_yticks([], minor=True)
    low = axes.get_ylim()[0]
    names = []
    measured = [row["flops_a_second"] / 1e9 for _, row in rows]
    # Names stand where nothing was measured: above the fastest step, or below the slowest.
    height = (max(measured) * peak) ** 0.5 if max(measured) < 0.55 * peak else (low * min(measured)) ** 0.5
    for level in ceilings["levels"]:
        speed = level["bytes_a_second"] / 1e9
        axes.plot([low / speed, peak / speed], [low, peak], color="#888888", linewidth=1)
        names.append((speed, axes.annotate(f"{level['level']} {speed:.0f} GB/s", (height / speed, height), ha="center", va="bottom", fontsize=9,
                                           color="#666666", rotation_mode="anchor")))  # fmt: skip
    axes.plot([peak / max(level["bytes_a_second"] / 1e9 for level in ceilings["levels"]), 100], [peak, peak], color="black")
    axes.annotate(f"multiply-adds {peak:.1f}", (95, peak), (0, 3), textcoords="offset points", ha="right", va="bottom")
    for k, (name, row) in enumerate(rows):
        flops = row["flops_a_second"] / 1e9
        places = [min(level["flops_a_byte"], 100) for level in row["levels"][:2]]
        label = f"{k + 1} {name}: {row['tqp_a_second'] / 1e9:.2f}·10⁹ terms/s"
        axes.plot(places, [flops] * len(places), "o-", color=f"C{k}", label=label)
        axes.annotate(f"{k + 1}", (places[-1], flops), (14, -4), textcoords="offset points", ha="center", color=f"C{k}")
    figure.legend(loc="outside lower center", fontsize=9, frameon=False)
    figure.draw_without_rendering()
    for speed, name in names:  # along its line
        (x0, y0), (x1, y1) = axes.transData.transform([(low / speed, low), (peak / speed, peak)])
        name.set_rotation(np.degrees(np.arctan2(y1 - y0, x1 - x0)))
    figure.savefig(file, dpi=130)


def main():
    facet, facetc, kernel, *picture = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = kernel.read_text()
        begin = text.index("    const real e")
        other = text[:begin] + PUBLISHED.lstrip("\n") + text[text.index("  static Parts finish") :]
        (folder / "plasmon_pole.cpp").write_text(other)
        output(facet, "roofline", f"{kernel}@direct", "--class", "f64", "--schedules", "none", "--json", folder / "cpu.json")
        found = json.loads((folder / "cpu.json").read_text())
        made = json.loads(output(facetc, kernel, "--emit=manifest"))["made_by"]
        cpu = {"cpu": found["cpu"], "target": found["ceilings"]["target"], "facet": made["facet"], "halide": made["halide"]}
        best, ceilings = [None] * len(STEPS), None
        for _ in range(2):
            for k, (_, published, knobs) in enumerate(STEPS):
                of = folder / "plasmon_pole.cpp" if published else kernel
                now, row = measured(facet, facetc, of, knobs, cpu, folder)
                if best[k] is None or row["tqp_a_second"] > best[k]["tqp_a_second"]:
                    best[k] = row
                if ceilings is None or now["flops_a_second"]["f64"] > ceilings["flops_a_second"]["f64"]:
                    ceilings = now
    print("| step | 1e9 terms/s | FLOPs a term | GFLOP/s | of the multiply-adds' peak | of the bound by instructions |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (name, _, knobs), row in zip(STEPS, best):
        share = next(bound["share"] for bound in row["bounds"] if bound["bound"] == "arithmetic")
        flops = row["flops_a_second"]
        print(f"| {name} (`{knobs}`) | {row['tqp_a_second'] / 1e9:.3f} | {row['flops_a_q'].split()[0]} | {flops / 1e9:.1f} "
              f"| {flops / ceilings['flops_a_second']['f64']:.0%} | {share:.0%} |")  # fmt: skip
    if picture:
        draw(ceilings, [(name, row) for (name, *_), row in zip(STEPS, best)], picture[0])
        print(picture[0])


if __name__ == "__main__":
    main()
