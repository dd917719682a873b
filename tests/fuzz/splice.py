#!/usr/bin/env python3
"""Splices C++ around and into the kernels that come with facet, and looks for what runs.

    tests/fuzz/splice.py FACETC --minutes 60            by hand
    tests/fuzz/splice.py FACETC --seeds 200 --compile 8  as in the tests

Each seed takes a kernel, puts constructs where C++ might take them, and spoils some of its words.
facetc must accept the file or refuse it with a message: no crash, no hang. For those it accepts the library is
made, at most --compile of them, and loaded in a process of its own. Nothing may be listed to run when it is loaded:
the file `made`, which the constructs would write, must not be there. And it may ask for no function that the library
of a plain kernel does not ask for. What fails is written to --keep.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

KERNELS = sorted((pathlib.Path(__file__).resolve().parents[2] / "examples/kernels").glob("*.cpp"))
CALL = 'int c(const char *, int) asm("creat"); c("made", 384);'
RUNS = "static real run() { " + CALL + " return 1; }"
# {x}: another construct.
ATTRIBUTES = ["[[gnu::constructor]]", "[[gnu::used]]", "<:<:gnu::constructor:>:>", "__attribute__((constructor))", "alignas(64)",
              "[[gnu::section(\".init_array\")]]", "[[using gnu: used]]", "[[gnu::noipa]]", "__declspec(x)", "[[gnu::destructor]]",
              "__attr\\\nibute__((used))"]
TOP = ["{a} static real f{n}() { {s} return 1; }", "asm(\"nop\");", "extern \"C\" int creat(const char *, int);", "const real g{n} = {e};",
       "inline real g{n} = {e};", "constexpr real g{n} = {e};", "static_assert(({e}) != 0);", "struct S{n} { {m} };", "namespace n{n} { {t} }",
       "namespace { {t} }", "namespace facet { {t} }", "namespace std { {t} }", "using A{n} = decltype({e});", "using namespace facet;",
       "template <int N = ({e}, 1)> real f{n}() { return N; }", "template <class T> struct T{n} { {m} };", "enum E{n} { e{n} = ({e}, 1) };",
       "union U{n} { {m} };", "thread_local real g{n} = {e};", "constinit real g{n} = 1;", "{a};", "export real f{n}();", "import std;",
       "#include <unistd.h>", "#define real double", "#pragma weak f", "_Pragma(\"once\")", "concept C{n} = true;", "int main() { {s} }",
       "void *operator new(unsigned long) { {s} return 0; }", "extern \"C\" void _init() { {s} }", "typedef struct { {m} } T{n};",
       "constexpr cplx operator+(cplx a, int b) { {s} return a; }", "struct D{n} { ~D{n}() { {s} } }; const D{n} d{n};", RUNS,
       "real v{n}[3] = {1, 2, 3};", "auto [a{n}, b{n}, c{n}] = vec3(1, 2, 3);", "template real f{n}<int>();", "static real h{n}(real x = {e}) { return x; }"]
MEMBERS = ["static inline real m{n} = {e};", "static constexpr real m{n} = {e};", "real m{n} = {e};", "{a} static real f{n}() { {s} return 1; }",
           "static real f{n}(real x = {e}) { {s} return x; }", "friend real f{n}() { {s} return 1; }", "virtual real f{n}() { {s} return 1; }",
           "struct S{n} { {m} };", "using A{n} = decltype({e});", "static_assert(({e}) != 0);", "operator real() { {s} return 1; }",
           "int b{n} : 3;", "mutable real x{n};", "real x{n} [[gnu::aligned(8)]];", "static real f{n}() noexcept(noexcept({e})) { return 1; }"]
STATEMENTS = [CALL, "asm volatile(\"nop\");", "static real l{n} = {e};", "const real l{n} = {e};", "struct L{n} { {m} };", "for (;;) {}",
              "if constexpr (true) { {s} }", "{a} real l{n} = 1;", "throw 1;", "using A{n} = decltype({e});", "static_assert(({e}) != 0);",
              "while (true) {}", "goto x;", "new real(1);", "constexpr real l{n} = {e};", "return {e};", "co_return;", "typedef real A{n};", ";"]
EXPRESSIONS = ["1.0", "[] {a} () { {s} return 1.0; }()", "[] { struct L { {a} static real run() { " + CALL + " return 1; } }; return 1.0; }()",
               "sin(1.0)", "sizeof(real)", "({ {s} 1.0; })", "*new real(1)", "__builtin_trap()", "(real)1", "creat(\"made\", 384)", "({e} + {e})",
               "noexcept({e})", "__COUNTER__", "\"made\"[0]", "typeid(real)", "(1, {e})", "requires { {s} }", "pow({e}, 2)", "real{{e}}", "u8\"x\"",
               "vec3(1, 2, 3).x", "re(cplx(1, 2))", "(true ? {e} : 2.0)", "f{n}()"]
KINDS = {"a": ATTRIBUTES, "t": TOP, "m": MEMBERS, "s": STATEMENTS, "e": EXPRESSIONS}


def construct(rng, kind, depth=0):
    if depth > 4:
        return {"e": "1.0", "a": ""}.get(kind, ";" if kind == "s" else "")
    text = rng.choice(KINDS[kind]).replace("{n}", str(rng.randrange(100)))
    return re.sub(r"\{([atmse])\}", lambda m: construct(rng, m[1], depth + 1), text)


def spliced(rng):
    text = rng.choice(KERNELS).read_text()
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        places = {"t": [m.end() for m in re.finditer(r"^(?:\};|using namespace facet;)\n", text, re.M)],
                  "m": [m.end() for m in re.finditer(r"struct [^;{]*\{\n?", text)],
                  "s": [m.end() for m in re.finditer(r"\) \{\n?", text)],
                  "a": [m.start() for m in re.finditer(r"\b(?:static|struct|real|cplx)\b", text)],
                  "e": [m.start() for m in re.finditer(r"(?<=return )|(?<== )", text)]}
        kind = rng.choice("ttmmsseea")
        at = rng.choice(places[kind] or [len(text)])
        made = construct(rng, kind)
        text = text[:at] + (f"({made}) + " if kind == "e" else f"{made} " if kind == "a" else f"{made}\n") + text[at:]
    if rng.random() < 0.2:  # a word or sign lost, doubled or broken
        words = list(re.finditer(r"\w+|[^\w\s]", text))
        word = rng.choice(words)
        text = text[: word.start()] + rng.choice(["", word[0] + " " + word[0], word[0][:1] + "\\\n" + word[0][1:]]) + text[word.end() :]
    return text


LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"


def facts(library):
    """What a library asks for from others, and what it has run when it is loaded."""
    names = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True).stdout
    sections = subprocess.run(["readelf", "-SW", library], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\bU (\w+)", names)), set(re.findall(r"\.(?:init|fini|ctors|dtors|preinit)\w*", sections))


def make(facetc, kernel, name, folder):
    library = folder / "kernel.so"
    words = ["--targets=sse41", "--algorithms=direct", "--class=f64", *([f"--kernel={name}"] if name else [])]
    run = subprocess.run([facetc, kernel, "--emit=library", *words, "-o", library], cwd=folder, capture_output=True, text=True, timeout=120)
    return run, library


def judge(facetc, text, plain, compiles):
    """What is wrong with what facetc makes of a text; whether it accepted it."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "k.cpp").write_text(text)
        run = subprocess.run([facetc, "k.cpp", "--emit=check"], cwd=folder, capture_output=True, text=True, errors="replace", timeout=60)
        if run.returncode not in (0, 1) or (run.returncode == 1 and "error:" not in run.stderr):
            return f"facetc ended with {run.returncode}: {run.stderr[-300:]}", False
        if run.returncode or not compiles():
            return "", run.returncode == 0
        kernel = re.findall(r"FACET_KERNEL (\w+)", text)
        run, library = make(facetc, "k.cpp", kernel[0] if len(kernel) > 1 else "", folder)
        if run.returncode:
            return f"accepted, and not compiled: {run.stderr[-300:]}", True
        asks, runs = facts(library)
        if asks - plain[0] or runs - plain[1]:
            return f"the library asks for {asks - plain[0]} and runs {runs - plain[1]}", True
        subprocess.run([sys.executable, "-c", LOAD, library], cwd=folder, check=True)
        return "it ran" if (folder / "made").exists() else "", True


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("facetc", type=lambda path: pathlib.Path(path).resolve())
    ask.add_argument("--minutes", type=float, default=0)
    ask.add_argument("--seeds", type=int, default=0)
    ask.add_argument("--first", type=int, default=0, help="the first seed")
    ask.add_argument("--compile", type=int, default=1 << 30, help="libraries to make, at most")
    ask.add_argument("--keep", type=pathlib.Path, help="a folder for files that fail")
    given = ask.parse_args()
    plain = (set(), set())
    with tempfile.TemporaryDirectory() as name:  # all that kernels of facet ask for
        for kernel in KERNELS if given.minutes else KERNELS[:1]:
            run, library = make(given.facetc, kernel, "", pathlib.Path(name))
            if run.returncode:
                sys.exit(f"{kernel}: {run.stderr}")
            plain = tuple(old | new for old, new in zip(plain, facts(library)))
    plain[0].update("sin cos sinh cosh exp exp2 expm1 log erf erfc pow atan2 sqrt nearbyint sincos memset memcpy".split())
    end = time.monotonic() + 60 * given.minutes
    left, done, accepted, bad = [given.compile], 0, 0, 0

    def compiles():
        left[0] -= 1
        return left[0] >= 0

    def one(seed):
        if given.minutes and time.monotonic() > end:
            return None
        text = spliced(random.Random(seed))
        try:
            return seed, text, *judge(given.facetc, text, plain, compiles)
        except subprocess.TimeoutExpired as slow:
            return seed, text, f"no end: {slow}", False

    with ThreadPoolExecutor(2) as pool:
        for result in pool.map(one, range(given.first, given.first + (given.seeds or 10**9 if not given.minutes else 10**6))):
            if result is None:
                break
            seed, text, wrong, good = result
            done, accepted, bad = done + 1, accepted + good, bad + bool(wrong)
            if wrong:
                print(f"seed {seed}: {wrong}")
                if given.keep:
                    given.keep.mkdir(parents=True, exist_ok=True)
                    (given.keep / f"{seed}.cpp").write_text(text)
    print(f"{done} files, {accepted} accepted, {min(given.compile, given.compile - left[0])} compiled, {bad} wrong")
    return 1 if bad or not done or not accepted else 0


sys.exit(main())
