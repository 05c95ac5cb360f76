"""What the specification lets a floating point operation answer (section "Floating Point Evaluation"): sets of
values, as intervals. An operation takes intervals and gives one; ANY is the interval that holds every value and NaN
(outside the operation's domain or accuracy's range, or the result may overflow).

Subnormal numbers may be flushed to zero, on the way in and on the way out. Rounding goes up or down."""

import itertools
import math
import struct
from fractions import Fraction

INF = math.inf


class Interval:
    __slots__ = ("low", "high", "any")

    def __init__(self, low, high, anything=False):
        self.low, self.high, self.any = low, high, anything

    def holds(self, x):
        return self.any or self.low <= x <= self.high

    def __or__(self, other):
        if self.any or other.any:
            return ANY
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def __repr__(self):
        return "any" if self.any else f"[{self.low!r}, {self.high!r}]"


ANY = Interval(-INF, INF, True)


def union(intervals):
    out = None
    for interval in intervals:
        out = interval if out is None else out | interval
        if out.any:
            return ANY
    return out


class Float:
    """A floating point type by its precision (significand bits) and exponents, and the operations over it."""

    def __init__(self, name, suffix, code, bits, precision, lowest, highest):
        self.name, self.suffix, self.code, self.width = name, suffix, code, bits
        self.precision, self.lowest, self.highest = precision, lowest, highest
        self.max = float(Fraction(2) ** highest * (2 - Fraction(2) ** (1 - precision)))
        self.normal = 2.0 ** lowest  # the smallest normal number
        self.tiny = 2.0 ** (lowest - precision + 1)  # the smallest subnormal one

    # ---- values

    def bits(self, x):
        return int.from_bytes(struct.pack("<" + self.code, x), "little")

    def value(self, bits):
        return struct.unpack("<" + self.code, bits.to_bytes(self.width // 8, "little"))[0]

    def literal(self, x):
        sign = "-" if math.copysign(1, x) < 0 else ""
        return sign + float.hex(abs(x)) + self.suffix

    def nearest(self, x):
        """The value of the type nearest to a double; infinite where it overflows."""
        if x == 0 or math.isinf(x) or math.isnan(x):
            return x
        quantum = self.quantum(x)
        rounded = float(round(Fraction(x) / quantum) * quantum)
        return math.copysign(INF, x) if abs(rounded) > self.max else math.copysign(rounded, x)

    def quantum(self, x):
        """The distance between neighbours in x's binade."""
        exponent = max(math.frexp(x)[1] - 1, self.lowest)
        return Fraction(2) ** (exponent - self.precision + 1)

    def down(self, x):
        if x == 0:
            return 0.0
        quantum = self.quantum(float(x))
        return float(math.floor(Fraction(x) / quantum) * quantum)

    def up(self, x):
        return -self.down(-x)

    def ulp(self, x):
        return float(self.quantum(x)) if x else self.tiny

    def subnormal(self, x):
        return 0 < abs(x) < self.normal

    # ---- from an exact set of results to what an implementation may answer

    def rounded(self, low, high=None):
        """low, high: Fractions or doubles that bound the exact result."""
        high = low if high is None else high
        for x in (low, high):
            if isinstance(x, float) and not math.isfinite(x) or abs(x) > self.max:
                return ANY
        low, high = self.down(low), self.up(high)
        if low > 0 and low < self.normal:
            low = 0.0
        if high < 0 and high > -self.normal:
            high = 0.0
        if abs(low) > self.max or abs(high) > self.max:
            return ANY
        return Interval(low, high)

    def near(self, x, ulps):
        if not math.isfinite(x) or abs(x) > self.max:
            return ANY
        margin = ulps * self.ulp(x)
        return self.rounded(x - margin, x + margin)

    def within(self, x, error):
        return self.rounded(x - error, x + error) if math.isfinite(x) else ANY

    def point(self, x):
        return Interval(x, x)

    def ends(self, interval):
        """Where a function monotonic on either side of zero has its extremes, flushed inputs counted in."""
        out = {interval.low, interval.high}
        if interval.low <= 0 <= interval.high or any(self.subnormal(x) for x in out):
            out.add(0.0)
        return out

    def lift(self, f, *arguments, also=()):
        """f(points) -> Interval, over all corners; `also` are further points of the first argument (extremes)."""
        if any(a.any for a in arguments):
            return ANY
        corners = [self.ends(a) for a in arguments]
        corners[0] |= {x for x in also if arguments[0].holds(x)}
        return union(f(*point) for point in itertools.product(*corners))

    # ---- operators

    def add(self, x, y):
        return self.lift(lambda a, b: self.rounded(Fraction(a) + Fraction(b)), x, y)

    def sub(self, x, y):
        return self.lift(lambda a, b: self.rounded(Fraction(a) - Fraction(b)), x, y)

    def mul(self, x, y):
        return self.lift(lambda a, b: self.rounded(Fraction(a) * Fraction(b)), x, y)

    def div(self, x, y):
        if not y.any and y.low <= 0 <= y.high:
            return ANY

        def quotient(a, b):
            if not 2.0 ** self.lowest <= abs(b) <= 2.0 ** (self.highest - 1):
                return ANY
            exact = Fraction(a) / Fraction(b)
            if abs(exact) > self.max:
                return ANY
            margin = Fraction(5, 2) * Fraction(self.ulp(float(exact)))
            return self.rounded(exact - margin, exact + margin)

        return self.lift(quotient, x, y)

    def rem(self, x, y):
        def remainder(a, b):
            quotient = self.div(self.point(a), self.point(b))
            return self.sub(self.point(a), self.mul(self.point(b), self.trunc(quotient)))

        return self.lift(remainder, x, y)

    def neg(self, x):
        return self.lift(lambda a: self.rounded(Fraction(-a)), x)

    # ---- correctly rounded functions

    def exactly(self, f):
        return lambda *arguments: self.lift(lambda *points: self.rounded(f(*points)), *arguments)

    def abs(self, x):
        return self.exactly(abs)(x)

    def ceil(self, x):
        return self.exactly(lambda a: Fraction(math.ceil(a)))(x)

    def floor(self, x):
        return self.exactly(lambda a: Fraction(math.floor(a)))(x)

    def trunc(self, x):
        return self.exactly(lambda a: Fraction(math.trunc(a)))(x)

    def round(self, x):
        return self.exactly(lambda a: Fraction(round(Fraction(a))))(x)

    def sign(self, x):
        return self.exactly(lambda a: Fraction((a > 0) - (a < 0)))(x)

    def saturate(self, x):
        return self.exactly(lambda a: min(max(a, 0.0), 1.0))(x)

    def max2(self, x, y):
        return self.exactly(max)(x, y)

    def min2(self, x, y):
        return self.exactly(min)(x, y)

    def clamp(self, x, low, high):
        return self.exactly(lambda a, b, c: min(max(a, b), c))(x, low, high) | \
            self.exactly(lambda a, b, c: sorted((a, b, c))[1])(x, low, high)

    def step(self, edge, x):
        return self.lift(lambda a, b: self.point(1.0 if a <= b else 0.0), edge, x)

    def fract(self, x):
        return self.lift(lambda a: self.sub(self.point(a), self.floor(self.point(a))), x)

    def fma(self, x, y, z):
        return self.add(self.mul(x, y), z)

    def ldexp(self, x, n):
        return self.lift(lambda a: self.rounded(Fraction(a) * Fraction(2) ** n), x)

    def quantize(self, x):
        """f32 to f16 and back: correctly rounded to f16; subnormal f16 results may be flushed."""
        return self.lift(lambda a: F16.rounded(Fraction(a)), x)

    def degrees(self, x):
        return self.mul(x, self.constant(57.295779513082322865))

    def radians(self, x):
        return self.mul(x, self.constant(0.017453292519943295474))

    def constant(self, x):
        return self.rounded(Fraction(x))

    # ---- functions with an error bound

    def in_domain(self, x, low, high):
        return not x.any and low <= x.low and x.high <= high

    def inverse_sqrt(self, x):
        if not self.in_domain(x, self.tiny, self.max):
            return ANY
        return self.lift(lambda a: self.near(1 / math.sqrt(a), 2) if a > 0 else ANY, x)

    def sqrt(self, x):
        if x.any or x.low < 0:
            return ANY

        def root(a):
            return self.point(0.0) if a == 0 else self.div(self.point(1.0), self.inverse_sqrt(self.point(a)))

        return self.lift(root, x)

    def exp_like(self, function, x):
        base = 3 if self is F32 else 1
        return self.lift(lambda a: self.near(function(a), base + 2 * abs(a)) if abs(a) < 700 else ANY, x)

    def exp(self, x):
        return self.exp_like(math.exp, x)

    def exp2(self, x):
        return self.exp_like(lambda a: 2.0 ** a, x)

    def log_like(self, function, x):
        if not self.in_domain(x, self.tiny, self.max):
            return ANY

        def logarithm(a):
            if a <= 0:
                return ANY
            if 0.5 <= a <= 2:
                return self.within(function(a), 2.0 ** (-21 if self is F32 else -7))
            return self.near(function(a), 3)

        return self.lift(logarithm, x, also=(0.5, 2.0))

    def log(self, x):
        return self.log_like(math.log, x)

    def log2(self, x):
        return self.log_like(math.log2, x)

    def pow(self, x, y):
        return self.lift(lambda a, b: self.exp2(self.mul(self.point(b), self.log2(self.point(a)))), x, y)

    def wave(self, function, x):
        if not self.in_domain(x, -math.pi, math.pi):
            return ANY
        error = 2.0 ** (-11 if self is F32 else -7)
        return self.lift(lambda a: self.within(function(a), error), x)

    def sin(self, x):
        return self.wave(math.sin, x)

    def cos(self, x):
        return self.wave(math.cos, x)

    def tan(self, x):
        return self.lift(lambda a: self.div(self.sin(self.point(a)), self.cos(self.point(a))), x)

    def atan(self, x):
        return self.lift(lambda a: self.near(math.atan(a), 4096 if self is F32 else 5), x)

    def atan2(self, y, x):
        def angle(b, a):
            if not 2.0 ** self.lowest <= abs(a) <= 2.0 ** (self.highest - 1) or abs(b) < self.normal:
                return ANY
            return self.near(math.atan2(b, a), 4096 if self is F32 else 5)

        return self.lift(angle, y, x)

    def worse(self, exact, error, inherited):
        absolute = self.within(exact, error)
        return ANY if inherited.any else absolute | inherited

    def one_minus_square(self, x):
        one = self.point(1.0)
        return self.sqrt(self.sub(one, self.mul(x, x)))

    def acos(self, x):
        def at(a):
            if abs(a) > 1:
                return ANY
            inherited = self.atan2(self.one_minus_square(self.point(a)), self.point(a))
            absolute = self.within(math.acos(a), 6.77e-5 if self is F32 else 3.91e-3)
            return absolute if inherited.any else absolute | inherited

        return self.lift(at, x)

    def asin(self, x):
        def at(a):
            if abs(a) > 1:
                return ANY
            inherited = self.atan2(self.point(a), self.one_minus_square(self.point(a)))
            absolute = self.within(math.asin(a), 6.81e-5 if self is F32 else 3.91e-3)
            return absolute if inherited.any else absolute | inherited

        return self.lift(at, x)

    def acosh(self, x):
        one = self.point(1.0)
        return self.lift(lambda a: self.log(self.add(self.point(a), self.sqrt(
            self.sub(self.mul(self.point(a), self.point(a)), one)))) if a >= 1 else ANY, x)

    def asinh(self, x):
        one = self.point(1.0)
        return self.lift(lambda a: self.log(self.add(self.point(a), self.sqrt(
            self.add(self.mul(self.point(a), self.point(a)), one)))), x)

    def atanh(self, x):
        one = self.point(1.0)
        return self.lift(lambda a: self.mul(self.log(self.div(
            self.add(one, self.point(a)), self.sub(one, self.point(a)))), self.point(0.5)) if abs(a) < 1 else ANY, x)

    def cosh(self, x):
        return self.lift(lambda a: self.mul(self.add(self.exp(self.point(a)), self.exp(self.point(-a))),
                                            self.point(0.5)), x)

    def sinh(self, x):
        return self.lift(lambda a: self.mul(self.sub(self.exp(self.point(a)), self.exp(self.point(-a))),
                                            self.point(0.5)), x)

    def tanh(self, x):
        def at(a):
            inherited = self.div(self.sinh(self.point(a)), self.cosh(self.point(a)))
            return ANY if inherited.any else self.within(math.tanh(a), 1e-5) | inherited

        return self.lift(at, x)

    def mix(self, x, y, z):
        one = self.point(1.0)
        return self.lift(lambda a, b, c: self.add(
            self.mul(self.point(a), self.sub(one, self.point(c))), self.mul(self.point(b), self.point(c))), x, y, z)

    def smoothstep(self, low, high, x):
        def at(a, b, c):
            a, b, c = self.point(a), self.point(b), self.point(c)
            ratio = self.div(self.sub(c, a), self.sub(b, a))
            t = self.clamp(ratio, self.point(0.0), self.point(1.0))
            return self.mul(self.mul(t, t), self.sub(self.point(3.0), self.mul(self.point(2.0), t)))

        return self.lift(at, low, high, x)

    # ---- functions of vectors (lists of intervals)

    def sums(self, terms):
        """The sum in any order."""
        return union(self.total(order) for order in itertools.permutations(terms))

    def total(self, terms):
        out = terms[0]
        for term in terms[1:]:
            out = self.add(out, term)
        return out

    def dot(self, x, y):
        return self.sums([self.mul(a, b) for a, b in zip(x, y)])

    def length(self, x):
        return self.sqrt(self.dot(x, x)) if len(x) > 1 else self.sqrt(self.mul(x[0], x[0]))

    def distance(self, x, y):
        return self.length([self.sub(a, b) for a, b in zip(x, y)])

    def normalize(self, x):
        norm = self.length(x)
        return [self.div(a, norm) for a in x]

    def cross(self, x, y):
        pairs = ((1, 2), (2, 0), (0, 1))
        return [self.sub(self.mul(x[i], y[j]), self.mul(x[j], y[i])) for i, j in pairs]

    def reflect(self, x, y):
        twice = self.mul(self.point(2.0), self.dot(x, y))
        return [self.sub(a, self.mul(twice, b)) for a, b in zip(x, y)]

    def refract(self, x, y, z):
        one, along = self.point(1.0), self.dot(y, x)
        k = self.sub(one, self.mul(self.mul(z, z), self.sub(one, self.mul(along, along))))
        if k.any or k.low <= 0 <= k.high:
            return [ANY] * len(x)
        if k.high < 0:
            return [self.point(0.0)] * len(x)
        factor = self.add(self.mul(z, along), self.sqrt(k))
        return [self.sub(self.mul(z, a), self.mul(factor, b)) for a, b in zip(x, y)]

    def face_forward(self, x, y, z):
        along = self.dot(z, y)
        if along.any or along.low < 0 <= along.high:
            return [a | self.neg(a) for a in x]
        return [a if along.high < 0 else self.neg(a) for a in x]


F32 = Float("f32", "f", "f", 32, 24, -126, 127)
F16 = Float("f16", "h", "e", 16, 11, -14, 15)
