"""Random well-typed integrands as trees, so that a failing one can be cut down to its smallest part.

A tree is (template, type, children): the template is C++ with {0}, {1}, ... for the children. Types: real
(a real number), cplx, vec (a real vec3). Every rule keeps values of moderate size: what is being
tested is the compiler, not the overflow of a random formula.
"""

# (weight, template, child types). Rules never divide by, or take roots of, what may vanish; complex
# roots are of negative reals too, and select chooses on which side of 0 their argument is.
REAL = [
    (3, "{0} + {1}", "rr"), (2, "{0} - {1}", "rr"), (3, "{0} * {1}", "rr"),
    (2, "{0} / (1.5 + {1} * {1})", "rr"), (1, "-({0})", "r"), (1, "sqrt(1.0 + {0} * {0})", "r"),
    (2, "sin({0})", "r"), (2, "cos({0})", "r"), (1, "exp(-{0} * {0})", "r"), (1, "abs({0})", "r"),
    (1, "log(0.5 + {0} * {0})", "r"), (1, "erf({0})", "r"), (1, "erfc({0})", "r"), (1, "sinc({0})", "r"),
    (1, "pow({0}, 3)", "r"), (1, "pow(0.5 + {0} * {0}, -1.5)", "r"), (1, "pow(0.5 + {0} * {0}, 0.3)", "r"),
    (1, "atan2({0}, 1.5 + {1} * {1})", "rr"), (1, "atan2(-1.5 - {0} * {0}, {1})", "rr"), (1, "re(sinc({0}))", "c"),
    (1, "exp(-90.0 * ({0} - 0.4) * ({0} - 0.4))", "r"), (1, "erf(12.0 * ({0} - 0.6))", "r"),  # of next to nothing, flat, almost everywhere
    (1, "min({0}, {1})", "rr"), (1, "max({0}, {1})", "rr"), (2, "dot({0}, {1})", "vv"),
    (1, "norm2({0})", "v"), (1, "norm({0})", "v"), (2, "re({0})", "c"), (2, "im({0})", "c"),
    (1, "abs({0})", "c"), (1, "norm2({0})", "c"), (1, "select({0} < 0.3125, {1}, {2})", "lrr"),
    (1, "({0} < 0.6875 && {1} > -0.4375 ? {2} : {3})", "llrr"),
]
CPLX = [
    (3, "{0} + {1}", "cc"), (2, "{0} - {1}", "cc"), (2, "{0} * {1}", "cc"), (4, "{0} * {1}", "rc"),
    (1, "{0} / (2.0 + {1} * {1})", "cr"), (1, "{0} / cplx(1.5 + {1} * {1}, {1})", "cr"),
    (1, "-({0})", "c"), (2, "conj({0})", "c"), (2, "i * {0}", "r"), (1, "cplx({0}, {1})", "rr"),
    (4, "cis({0})", "r"), (2, "cism1({0})", "r"), (3, "cis(dot(q, {0}))", "v"),
    (2, "cism1(dot(q, {0}))", "v"), (2, "dot(q, {0})", "v"), (1, "dot(conj(q), {0})", "v"),
    (2, "mean_cis(q, t)", ""), (2, "mean_cism1(q, t)", ""),
    (1, "mean_cis(dot(q, t.vertex0), dot(q, t.vertex2))", ""), (1, "mean_cism1({0}, {1})", "rr"), (1, "exp(i * {0})", "r"),
    (1, "select({0} < 0.1875, {1}, {2})", "lcc"), (1, "sqrt(cplx(-1.0 - {0} * {0}))", "r"),
    (1, "sqrt(cplx({0} < 0.4375 ? -1.5 : 1.5))", "l"), (1, "sqrt(cplx(-1.5 - {0} * {0}, 0.25 + {1} * {1}))", "rr"),
]
VEC = [
    (3, "{0} + {1}", "vv"), (1, "{0} - {1}", "vv"), (2, "{0} * {1}", "rv"), (1, "-({0})", "v"),
    (1, "0.1 * cross({0}, {1})", "vv"), (1, "turn * {0}", "v"),
    (1, "(0.05 * outer({0}, {1}) + transpose(turn)) * {2}", "vvv"), (1, "vec3({0}, {1}, {2})", "rrr"),
]
LEAVES = {
    "r": ["t.area", "t.normal.x", "t.normal.z", "t.contrast", "p.kappa", "q.x", "q.y", "re(q.z)", "im(q.z)",
          "0.75", "2.0", "(0.1 * t.centroid.y)", "half", "twice(t.contrast)"],
    "c": ["q.z", "sqrt(-0.5 - q.z * q.z)", "cis(dot(q, t.centroid))", "cis(0.5 * dot(q, t.vertex1))", "i", "cplx(0.25)"],
    "v": ["t.normal", "t.centroid", "t.vertex0", "(t.edge1 + 0.3 * t.vertex2)",
          "(0.2 * t.edge2 + 0.1 * t.centroid)"],
    "l": ["t.contrast", "t.normal.y", "p.kappa", "q.x", "q.y"],  # what a condition may look at
}
RULES = {"r": REAL, "c": CPLX, "v": VEC}


def grow(rng, kind, depth):
    if kind == "l" or depth == 0 or (depth < 3 and rng.random() < 0.15):
        return (rng.choice(LEAVES[kind]), kind, [])
    rules = RULES[kind]
    _, template, kinds = rng.choices(rules, [r[0] for r in rules])[0]
    return (template, kind, [grow(rng, k, depth - 1) for k in kinds])


def text(tree):
    template, kind, children = tree
    parts = [text(c) for c in children]
    body = template.format(*parts) if parts else template
    return f"({body})" if parts and kind != "l" else body


def smaller(tree):
    """Trees with one step less: a subtree in the place of its parent, or a leaf for a subtree."""
    template, kind, children = tree
    for child in children:
        if child[1] == kind:
            yield child
    if children:
        yield (LEAVES[kind][0], kind, [])
    for n, child in enumerate(children):
        for s in smaller(child):
            yield (template, kind, children[:n] + [s] + children[n + 1:])


def size(tree):
    return 1 + sum(size(c) for c in tree[2])
