"""Random integrands of the form sum_k a_k(q) b_k(t) cis(q.r_t), and of forms just outside it, as the trees
of expressions.py.

Kinds: s a term, W a weight, w a factor of it, o a wave, v a real vector of the record, b a real number of the record,
a a number of q only. Outside the form there is m, a factor that mixes q and the record: transforms interpolate some of
these.
"""
import expressions

# Each rule keeps values of moderate size, some narrow ones next to nothing, and a product at one mean over the triangle at most.
TERMS = [
    (5, "{0} * {1}", "Wo"), (2, "{0} * {1} + {2} * {3}", "WoWo"), (1, "{0} * {1} - {2}", "WoW"),
    (1, "{0} * ({1} + 0.5 * {2})", "Woo"), (2, "(t.contrast < 1.25 ? {0} : {1})", "ss"),
]
WEIGHTS = [
    (4, "t.area * {0}", "w"), (3, "{0} * {1}", "ww"), (2, "({0} + {1})", "ww"), (1, "({0} - {1}) * {2}", "www"),
]
FACTORS = [
    (4, "dot(q, {0})", "v"), (3, "dot(conj(q), {0})", "v"), (3, "{0}", "b"), (2, "{0}", "a"),
    (2, "(dot(q, {0}) + {1} * q.x * q.x)", "vb"), (1, "({0} * {1} + {2})", "abb"), (1, "({0} + {1})", "ab"),
    (1, "sqrt(cplx({0}))", "b"), (2, "({0} < 0.9 ? {1} : {2})", "bww"),
    (1, "exp(-0.1 * {0} * {0} * norm2(q))", "b"),
]
WAVES = [
    (5, "cis(dot(q, {0}))", "v"), (4, "cism1(dot(q, {0}))", "v"), (1, "cis(dot(q, {0}) + {1})", "vb"),
    (1, "cis(dot(q, {0}) - 0.3 * q.y)", "v"), (1, "(cis(dot(q, {0})) * cis(0.5 * dot(q, {1})))", "vv"),
    (1, "exp(i * dot(q, {0}))", "v"), (2, "mean_cis(q, t)", ""), (2, "mean_cism1(q, t)", ""),
    (1, "sin(dot(q, {0}))", "v"), (1, "({0} * cis(dot({1}, q)))", "bv"),
]
VECTORS = [
    (1, "({0} + 0.5 * {1})", "vv"), (1, "0.1 * cross({0}, t.edge1)", "v"), (1, "{0} * {1}", "bv"),
]
RECORD = [
    (1, "({0} + {1})", "bb"), (1, "({0} * {1})", "bb"), (1, "sqrt(1.0 + {0} * {0})", "b"),
    (1, "select({0} < 0.9, {1}, 0.5)", "bb"), (1, "erf(20.0 * {0})", "b"), (1, "(0.01 + exp(-200.0 * ({0} - 0.9) * ({0} - 0.9)))", "b"),
]
OF_Q = [
    (2, "norm2(q)", ""), (1, "exp(-0.3 * norm2(q))", ""), (1, "(1.0 / (1.0 + q.x * q.x))", ""), (1, "(q.x * q.y)", ""),
    (1, "(q.z * q.z)", ""), (1, "({0} + 2.0 * {1})", "aa"),
    (1, "exp(-400.0 * (q.x - 0.3) * (q.x - 0.3))", ""), (1, "exp(-0.5 * (q.y + 0.4) * (q.y + 0.4) / (0.03 * 0.03))", ""), (1, "erf(40.0 * q.y)", ""),
    (1, "sqrt(-0.5 - q.z * q.z)", ""), (1, "sqrt(cplx(re({0}) < 0.375 ? -1.5 : 2.0))", "a"),
]
# How those of OF_Q and MIXED begin that are next to nothing but in a line of q.
LINES = "exp(-400.0 * (q.x -", "exp(-0.5 * (q.y +", "exp(-300.0 * (q.y -"
MIXED = [
    (1, "sqrt(1.5 + 0.1 * sin(q.x * t.area) * cos(q.y) * re(q.z))", ""), (1, "exp(-0.1 * {0} * {0} * norm2(q))", "b"),
    (1, "(0.5 + 1.0 / (1.0 + {0} * {0} * norm2(q)))", "b"), (1, "sin(norm(q) * (1.0 + 0.1 * {0}))", "b"),
    (1, "(exp(-0.1 * {0} * {0} * norm2(q)) * cos(0.5 * {0} * q.y * q.y))", "b"),
    (1, "exp(-300.0 * (q.y - {0}) * (q.y - {0}))", "b"), (1, "erf(15.0 * (q.x - 0.5 * {0}))", "b"),
    (1, "(q.x * {0} < 0.25 ? 1.0 : 0.5)", "b"), (1, "abs(q.x - {0})", "b"), (1, "max(norm(q), {0} + 0.5)", "b"),
    (2, "(norm2(q) * {0} < 1.5 ? 1.0 + 0.3 * norm2(q) * {0} : exp(-0.2 * {0} * norm2(q)))", "b"),
    (2, "(norm2(q) < {0} || norm2(q) > 4.0 + {0} ? 1.0 : {0} / (1.0 + norm2(q)))", "b"), (1, "cis({0} * q.x * q.y * re(q.z))", "b"), (1, "abs(dot(q, {0}))", "v"),
]
LEAVES = {
    "s": ["t.area * cis(dot(q, t.centroid))"], "W": ["t.area", "t.contrast"], "w": ["t.contrast", "q.x"],
    "o": ["cis(dot(q, t.centroid))", "cism1(dot(q, t.centroid))"],
    "v": ["t.normal", "t.centroid", "t.vertex0", "(t.edge1 + 0.3 * t.vertex2)"],
    "b": ["t.area", "t.contrast", "t.normal.x", "p.kappa", "0.75", "(0.1 * t.centroid.y)"],
    "a": ["q.x", "q.y", "q.z", "conj(q.z)", "p.kappa"], "m": ["1.0"],
}
RULES = {"s": TERMS, "W": WEIGHTS, "w": FACTORS, "o": WAVES, "v": VECTORS, "b": RECORD, "a": OF_Q, "m": MIXED}


def install():
    """Adds the rules to those of expressions.py under names of their own."""
    expressions.RULES.update({"low_" + k: [(n, t, ["low_" + c for c in kinds]) for n, t, kinds in rules]
                              for k, rules in RULES.items()})
    expressions.LEAVES.update({"low_" + k: leaves for k, leaves in LEAVES.items()})


def grow(rng, depth, outside):
    """A term of the form; `outside`: one factor more, which is not."""
    tree = expressions.grow(rng, "low_s", depth)
    if outside:
        tree = ("{0} * ({1})", "low_s", [expressions.grow(rng, "low_m", 3), tree])
    return tree
