"""The IR of docs/ir.md, read and evaluated by NumPy in double and complex128, for many points at once.

It is written from that page and knows nothing of the compiler: a second opinion on what kernels mean. Types and domains
that a value states must be those derived here. Scalars are arrays [n] of n points, vectors [3, n]. Direct sums only: it has
no transforms and no totals.
"""
import math
import re

import numpy as np

from kernels_in_numpy import triangle_rule

erf, erfc = np.vectorize(math.erf, otypes=[float]), np.vectorize(math.erfc, otypes=[float])


class Fault(Exception):
    """A text that is not as docs/ir.md has it."""


# Operations ---------------------------------------------------------------------------------

def is_complex(a):
    return np.iscomplexobj(a)


def csqrt(a):
    a = np.asarray(a, complex)
    return np.sqrt(np.where(a.imag == 0, a.real + 0j, a))


def real_sqrt(a):
    with np.errstate(invalid="ignore"):
        return np.sqrt(a)


def sinc(a):
    one = a == 0
    safe = np.where(one, 1, a)
    return np.where(one, 1, np.sin(safe) / safe)


def sinc_slope(a):
    near = np.abs(a) < 0.5
    safe = np.where(near, 1, a)
    series = -a / 3  # the sum over k >= 1 of (-1)^k 2k a^(2k - 1) / (2k + 1)!
    term = -a / 3
    for k in range(2, 12):
        term = -term * a * a * k / ((k - 1) * 2 * k * (2 * k + 1))
        series = series + term
    return np.where(near, series, (np.cos(safe) - np.sin(safe) / safe) / safe)


CORNERS, WEIGHTS = triangle_rule(24)


def phases(a, b, c):
    return np.tensordot(np.array(np.broadcast_arrays(a, b, c)), CORNERS, (0, 0))  # [n, nodes]


EDGE, EDGE_WEIGHTS = np.polynomial.legendre.leggauss(24)
EDGE_WEIGHTS /= 2


def along(a, b):
    return np.tensordot(np.array(np.broadcast_arrays(a, b)), np.array([1 - EDGE, 1 + EDGE]) / 2, (0, 0))


def mean_slopes(a, b, c):
    return np.array([(np.exp(1j * phases(a, b, c)) * l) @ WEIGHTS for l in CORNERS])


def sinpi(a):
    r = np.remainder(a, 2.0)
    return np.sin(np.pi * np.where(r <= 0.5, r, np.where(r <= 1.5, 1 - r, r - 2)))


def exponent2(a):
    mantissa, exponent = np.frexp(a)
    return (exponent - (mantissa < math.sqrt(0.5))).astype(float)


def edge(a, b, c):
    at_zero = np.where(c == 0, 0.0, np.copysign(np.inf, c))
    at_infinity = np.where(c > 0, 0.0, np.inf)
    return np.where(b == 0, at_zero, np.where(b == np.inf, at_infinity, np.where(b > 0, a, np.nan)))


def dot(a, b):
    return (a * b).sum(axis=0)


def norm2(a):
    size = np.real(a) ** 2 + np.imag(a) ** 2
    return size.sum(axis=0) if a.ndim == 2 else size


OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "fma": lambda a, b, c: a * b + c,
    "min": lambda a, b: np.where(b < a, b, a),
    "max": lambda a, b: np.where(a < b, b, a),
    "vec": lambda a, b, c: np.array(np.broadcast_arrays(a, b, c)),
    "component.x": lambda a: a[0],
    "component.y": lambda a: a[1],
    "component.z": lambda a: a[2],
    "dot": dot,
    "cross": lambda a, b: np.cross(a, b, axis=0),
    "norm2": norm2,
    "norm": lambda a: np.sqrt(norm2(a)),
    "complex": lambda a, b: a + 1j * b,
    "conj": np.conj,
    "re": np.real,
    "im": lambda a: np.imag(a) + 0.0,
    "abs": np.abs,
    "sqrt": real_sqrt,
    "csqrt": csqrt,
    "exp": np.exp,
    "expm1": np.expm1,
    "sin": np.sin,
    "cos": np.cos,
    "sinc": sinc,
    "sinc_slope": sinc_slope,
    "log": np.log,
    "pow": np.power,
    "erf": erf,
    "erfc": erfc,
    "atan2": np.arctan2,
    "cis": lambda a: np.exp(1j * a),
    "cism1": lambda a: np.expm1(1j * a),
    "mean_cis": lambda a, b, c: np.exp(1j * phases(a, b, c)) @ WEIGHTS,
    "mean_cism1": lambda a, b, c: np.expm1(1j * phases(a, b, c)) @ WEIGHTS,
    "mean_edge": lambda a, b: np.exp(1j * along(a, b)) @ EDGE_WEIGHTS,
    "mean_edge_m1": lambda a, b: np.expm1(1j * along(a, b)) @ EDGE_WEIGHTS,
    "mean_slopes": mean_slopes,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "equal": lambda a, b: a == b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "not": lambda a: ~a,
    "select": lambda a, b, c: np.where(a, b, c),
    "sinpi": sinpi,
    "cospi": lambda a: sinpi(a + 0.5),
    "sincpi": lambda a: np.sinc(a),
    "exp2": np.exp2,
    "exp2m1": lambda a: np.expm1(math.log(2) * a),
    "round": np.rint,
    "negate_if_odd": lambda a, b: np.where(np.remainder(b, 2.0) != 0, -a, a),
    "scale2": lambda a, b: np.ldexp(a, np.clip(b, -1022, 1023).astype(int)),
    "exponent2": exponent2,
    "mantissa2": lambda a: np.ldexp(a, -exponent2(a).astype(int)),
    "edge": edge,
    "or_nan": lambda a, b: np.where(np.isnan(b), b, a),
    "negate_if_negative": lambda a, b: np.where(np.signbit(b), -a, a),
    "hardware_sin": np.sin,
    "hardware_cos": np.cos,
    "hardware_exp2": np.exp2,
    "widen": lambda a: a,
    "narrow": lambda a: a,
}

# Text ---------------------------------------------------------------------------------------

WORD = re.compile(r'\s+|[;].*|//.*|("(?:\\.|[^"\\\n])*"|%?[\w.+-]+|[{}:,=\[\]%@])')
REGIONS = ("pack", "sum", "scalars", "mixed", "waves", "totals", "finish", "origin")


def words_of(text):
    at, words = 0, []
    while at < len(text):
        found = WORD.match(text, at)
        if not found:
            raise Fault(f"no word: {text[at:at + 20]!r}")
        at = found.end()
        if found[1]:
            words.append(found[1])
    return words


class Region:
    def __init__(self):
        self.values, self.outputs = [], []  # (name, op, operands, type, domain); (name, operand)


class Kernel:
    """`fields`: by name (type, axis or None); `axes`: by x, y, z whether it is complex; `regions` by name."""

    def __init__(self, text):
        self.words, self.at = words_of(text), 0
        self.fields, self.axes, self.regions, self.points = {}, {}, {}, False
        self.expect("kernel", "@")
        self.name = self.take()
        self.expect("{")
        while not self.eat("}"):
            self.part(self.take())

    def take(self):
        self.at += 1
        return self.words[self.at - 1]

    def eat(self, word):
        found = self.words[self.at] == word
        self.at += found
        return found

    def expect(self, *words):
        for word in words:
            if not self.eat(word):
                raise Fault(f"expected {word!r}, found {self.words[self.at]!r}")

    def listed(self, item):
        self.expect("{")
        while not self.eat("}"):
            item()
            self.eat(",")

    def part(self, word):
        if word == "doc":
            self.take()
        elif word in ("triangle", "record"):
            self.listed(self.field)
        elif word == "grid":
            self.points = self.take() == "points"
            self.listed(self.axis)
        elif word == "params":
            self.listed(self.parameter)
        elif word in REGIONS:
            self.eat("t")
            self.regions[word] = self.region()
        else:
            raise Fault(f"no part of a kernel: {word}")

    def field(self):
        name = self.take()
        self.expect(":")
        kind = self.take()
        axis = self.take() if kind == "per" else None
        if kind == "scaled":
            self.expect("=")
            self.take()
        self.fields[name] = ("vec3" if kind.endswith("3") else "real", axis)

    def axis(self):
        name = self.take()
        self.expect(":")
        self.axes[name] = self.take() == "cplx"
        if self.eat("="):
            self.take()

    def parameter(self):
        self.take()
        if self.eat(":"):
            self.take()
        if self.eat("="):
            while re.match(r"[-+.\d]", self.words[self.at]):
                self.take()

    def region(self):
        made = Region()
        self.expect("{")
        while not self.eat("yield"):
            name = self.take()
            self.expect("=")
            op, operands = self.take(), [self.take()]
            while self.eat(","):
                operands.append(self.take())
            made.values.append((name, op, operands, *self.stated()))
        while not self.eat("}"):
            first = self.take()
            named = self.eat("=")
            made.outputs.append((first if named else "", self.take() if named else first))
            self.stated()
            self.eat(",")
        return made

    def stated(self):
        """(type, domain) as they are written, None where they are not."""
        if not self.eat(":"):
            return None, None
        kind, domain = self.take(), None
        if self.eat("["):
            domain = set()
            while not self.eat("]"):
                domain.add(self.take())
        return kind, domain

    # Values -------------------------------------------------------------------------------------
    def grid_domain(self):
        return {"q"} if self.points else {"x", "y", "z"}

    def leaf(self, word, at):
        """(value, domain). `at`: record, params, q and sums at the points."""
        head, _, tail = word.partition(".")
        if re.match(r"[-+.\d]|inf$|nan$", word):
            return np.full(at.n, float(word)), set()
        if word == "i":
            return np.full(at.n, 1j), set()
        if head == "t":
            axis = self.fields[tail][1]
            return at.record[tail], {"t"} if axis is None else {"q"} if axis == "q" else {axis, "t"}
        if head == "p":
            return at.params[tail], set()
        if head == "r":
            return at.packed[tail], {"t"}
        part = {"": lambda a: a, "re": np.real, "im": lambda a: np.imag(a) + 0.0}
        if word == "q":
            return (at.q if any(self.axes.values()) else np.real(at.q)), self.grid_domain()
        if head == "q":
            component, _, which = tail.partition(".")
            value = at.q["xyz".index(component)]
            value = value if self.axes[component] else np.real(value)
            return part[which](value), {"q"} if self.points else {component}
        if re.fullmatch(r"sum\d*", head):
            return part[tail](np.asarray(at.sums[int(head[3:] or 0)], complex)), self.grid_domain()
        raise Fault(f"no value: {word}")

    def evaluate(self, region, at):
        """{name of an output: its value}."""
        known = {}

        def operand(word):
            return known[word] if word in known else self.leaf(word, at)

        for name, op, operands, kind, domain in region.values:
            values, domains = zip(*map(operand, operands))
            with np.errstate(all="ignore"):
                value = np.asarray(OPERATIONS[op](*values))
            union = set().union(*domains)
            if domain is not None and domain != union:
                raise Fault(f"{name} = {op}: its domain is {sorted(union)}, not {sorted(domain)}")
            if kind is not None and kind != type_of(value) and kind != {"real": "wide"}.get(type_of(value)):
                raise Fault(f"{name} = {op}: its type is {type_of(value)}, not {kind}")
            known[name] = value, union
        return {name: operand(word)[0] for name, word in region.outputs}

    def numbers(self, region, at):
        """The components of a region, complex, parts joined."""
        made = {}
        for name, value in self.evaluate(region, at).items():
            whole, part = re.fullmatch(r"(.*?)(?:\.?\b(re|im))?", name).groups()
            made[whole] = made.get(whole, 0) + (1j if part == "im" else 1) * value
        return list(made.values())

    def outputs(self, at):
        """(components of the term, outputs of finish), each [n], F being that of one record."""
        if "pack" in self.regions:
            at.packed = self.evaluate(self.regions["pack"], at)
        at.sums = self.numbers(self.regions["sum"], at)
        return at.sums, self.numbers(self.regions["finish"], at)


def type_of(value):
    if value.dtype == bool:
        return "bool"
    return ("cvec3" if is_complex(value) else "vec3") if value.ndim == 2 else "cplx" if is_complex(value) else "real"


class Points:
    """n points: `record` and `params` by name, `q` [3, n] complex."""

    def __init__(self, record, params, q):
        self.record, self.params, self.q, self.n = record, params, q, q.shape[1]
        self.packed, self.sums = {}, []
