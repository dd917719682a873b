"""Compares what --emit=explore says with other stages' text."""
import json
import sys
from pathlib import Path

what, file, *others = sys.argv[1:]
data = json.load(sys.stdin if file == "-" else open(file, encoding="utf-8"))


def named(variant):
    return ":".join(variant[key] for key in ("algorithm", "class", "q"))


def same_lines(variant, text):
    """All values of the last pass, as the IR prints them, and its yields."""
    last = [one for one in variant["passes"] if "regions" in one][-1]
    said = []
    for region in last["regions"]:
        said += [f"{line['id']} = {line['text']} : {line['type']} [{line['domain']}]" for line in region["lines"]] + [region["yield"].split(" : ")[0]]
    printed = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    printed = [line if line.startswith("%") else line.replace(" : real", "").replace(" : wide", "") for line in printed]
    assert said == printed, next(pair for pair in zip(said, printed) if pair[0] != pair[1])


def same(ir, counts, passes, *assemblies):
    direct = data["variants"][0]
    assert named(direct) == "direct:f32:real" and direct["addition"] and data["kernel"] == "born" and "FACET_KERNEL born" in data["text"]
    same_lines(direct, Path(ir).read_text())
    assert Path(counts).read_text().strip() == direct["operations"]["text"]
    of_direct = Path(passes).read_text().split("\n\n")[0].splitlines()[1:]
    assert [line.split(None, 1) for line in of_direct] == [[one["name"], one["why"]] for one in direct["passes"][1:]]
    assert [one["name"] for one in direct["passes"] if one.get("made", 0) == 0 and "regions" in one][1:] == []
    sums = {one["target"]: one for one in direct["sums"]}
    for target, file in (word.split("=") for word in assemblies):
        expected = [line.split()[0] for line in Path(file).read_text().splitlines()]
        found = [line["text"].split()[0] for line in sums[target]["lines"]]
        assert found == expected, (target, len(found), len(expected))
        assert sums[target]["counts"]["multiply-add"] == sum(name.startswith(("vfm", "vfnm")) for name in expected)
        assert sum(sums[target]["counts"].values()) == len(expected)
        exact = [line for line in sums[target]["lines"] if line.get("exact")]
        assert len(exact) >= 60 and all(line["line"] == 10 for line in exact)  # of 66 that compute
        assert [row["of"] for row in sums[target]["loops"] if "of" in row][:3] == ["x", "bands of rows", "records"]
    assert {named(one) for one in data["variants"]} == {"direct:f32:real", "separable:f32:real", "nufft:f64:real"}
    assert "sum over t of W * B" in data["explanation"]


def refused(source):
    assert {named(one) for one in data["variants"]} == {"direct:f32:real", "direct:f64:real"}
    assert [one["algorithm"] for one in data["refusals"]] == ["separable", "nufft"]
    lines = Path(source).read_text().splitlines()
    for one in data["refusals"]:
        assert one["reason"] and lines[one["line"] - 1][one["column"] - 1 :].strip(), one


def variants(*names):
    assert [named(one) for one in data["variants"]] == list(names)
    for one in data["variants"]:
        assert all(("error" in made) == (made["target"] == "sve2_256") and ("lines" in made) != ("error" in made) for made in one["sums"])


{"same": same, "refused": refused, "variants": variants}[what](*others)
