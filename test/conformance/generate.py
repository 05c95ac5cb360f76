"""Random WGSL compute programs whose result the specification fixes to the last bit: integers and booleans, their
vectors, structures, arrays, pointers, functions and control flow; no indeterminate value, no data race, no loop
without an end. Every variable's final value goes into the hash that the program leaves in its output buffer.

Interface of each program: group 0, binding 0 `array<u32>` input (read), binding 1 `array<u32>` output."""

import random

WORDS = 32  # of input and of output
SCALARS = ["i32", "u32", "bool"]
EDGES = {"i32": ["0i", "1i", "-1i", "2i", "7i", "31i", "32i", "-2147483647i", "2147483647i", "255i"],
         "u32": ["0u", "1u", "2u", "3u", "31u", "32u", "33u", "255u", "2147483648u", "4294967295u"],
         "bool": ["true", "false"]}
ARITHMETIC = ["+", "-", "*", "/", "%", "&", "|", "^"]
COMPARISON = ["==", "!=", "<", "<=", ">", ">="]
ONE_ARGUMENT = ["abs", "countOneBits", "countLeadingZeros", "countTrailingZeros", "firstLeadingBit",
                "firstTrailingBit", "reverseBits"]


def scalar_of(type_name):
    return type_name.split("<")[1][:-1] if "<" in type_name else type_name


def width_of(type_name):
    return int(type_name[3]) if type_name.startswith("vec") else 1


class Variable:
    def __init__(self, name, type_name, writable, length=0, pointer=False):
        self.name, self.type, self.writable, self.length = name, type_name, writable, length
        self.text = f"(*{name})" if pointer else name


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0
        self.functions = []
        self.globals = []
        self.scopes = []
        self.depth = 0
        self.in_loop = 0
        self.budget = 60  # statements left
        self.return_type = None

    # ---- choices

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def chance(self, p):
        return self.random.random() < p

    def value_type(self):
        scalar = self.random.choice(SCALARS)
        return scalar if self.chance(0.6) else f"vec{self.random.randint(2, 4)}<{scalar}>"

    def visible(self):
        return self.globals + [v for scope in self.scopes for v in scope]

    def literal(self, type_name):
        scalar = scalar_of(type_name)
        if width_of(type_name) > 1:
            return f"{type_name}({', '.join(self.literal(scalar) for _ in range(width_of(type_name)))})"
        if scalar == "bool" or self.chance(0.5):
            return self.random.choice(EDGES[scalar])
        return f"{self.random.randint(0, 1000)}{scalar[0]}"

    # ---- expressions

    def element(self, variable):
        if variable.length:
            return f"{variable.text}[{self.position()} % {variable.length}u]"
        return variable.text

    def position(self):
        """A u32 for an index: no call and no array in it, so that it ends."""
        plain = [v for v in self.visible() if v.type == "u32" and not v.length]
        return self.random.choice(plain).text if plain and self.chance(0.5) else self.from_input("u32")

    def leaf(self, type_name):
        same = [v for v in self.visible() if v.type == type_name]
        if same and self.chance(0.75):
            return self.element(self.random.choice(same))
        wider = [v for v in self.visible() if v.type.startswith("vec") and scalar_of(v.type) == type_name]
        if wider and self.chance(0.5):
            variable = self.random.choice(wider)
            return f"{self.element(variable)}.{'xyzw'[self.random.randrange(width_of(variable.type))]}"
        if type_name == "u32" and self.chance(0.5):
            return f"input[{self.random.randrange(WORDS)}]"
        return self.literal(type_name) if self.chance(0.25) else self.from_input(type_name)

    def from_input(self, type_name):
        scalar = scalar_of(type_name)
        if width_of(type_name) > 1:
            return f"{type_name}({', '.join(self.from_input(scalar) for _ in range(width_of(type_name)))})"
        word = f"input[{self.random.randrange(WORDS)}]"
        return {"u32": word, "i32": f"bitcast<i32>({word})", "bool": f"(({word} & 1u) == 1u)"}[scalar]

    def expression(self, type_name, depth=3):
        if depth <= 0 or self.chance(0.15):
            return self.leaf(type_name)
        scalar, width = scalar_of(type_name), width_of(type_name)
        makers = [self.binary, self.unary, self.select, self.leaf_of]
        makers += [self.call] * 2
        if scalar == "bool":
            makers += [self.compare] * 3 + [self.logical] * (2 if width == 1 else 0)
        else:
            makers += [self.builtin, self.shift, self.convert, self.binary]
        if width > 1:
            makers += [self.construct, self.swizzle]
        return self.random.choice(makers)(type_name, depth - 1)

    def leaf_of(self, type_name, _):
        return self.leaf(type_name)

    def binary(self, type_name, depth):
        op = self.random.choice(["&", "|"] if scalar_of(type_name) == "bool" else ARITHMETIC)
        # A constant zero as divisor is refused at shader creation, so the divisor is seldom a literal alone.
        rhs = self.from_input(type_name) if op in "/%" and self.chance(0.7) else self.expression(type_name, depth)
        return f"({self.expression(type_name, depth)} {op} {rhs})"

    def shift(self, type_name, depth):
        amount = "u32" if width_of(type_name) == 1 else f"vec{width_of(type_name)}<u32>"
        by = f"({self.expression(amount, depth)} & {self.literal_splat(amount, '31u')})" if self.chance(0.5) else \
            f"({self.from_input(amount)})"  # any amount: the run-time value is taken modulo 32
        value = self.from_input(type_name) if self.chance(0.5) else self.expression(type_name, depth)
        return f"({value} {self.random.choice(['<<', '>>'])} {by})"

    def literal_splat(self, type_name, text):
        return text if width_of(type_name) == 1 else f"{type_name}({text})"

    def unary(self, type_name, depth):
        op = {"bool": "!", "u32": "~"}.get(scalar_of(type_name)) or self.random.choice(["-", "~"])
        return f"{op}({self.expression(type_name, depth)})"

    def compare(self, type_name, depth):
        width = width_of(type_name)
        scalar = self.random.choice(["i32", "u32"])
        operand = scalar if width == 1 else f"vec{width}<{scalar}>"
        return (f"({self.expression(operand, depth)} {self.random.choice(COMPARISON)} "
                f"{self.expression(operand, depth)})")

    def logical(self, type_name, depth):
        op = self.random.choice(["&&", "||"])
        return f"({self.expression('bool', depth)} {op} {self.expression('bool', depth)})"

    def select(self, type_name, depth):
        width = width_of(type_name)
        condition = "bool" if width == 1 or self.chance(0.5) else f"vec{width}<bool>"
        parts = [self.expression(type_name, depth), self.expression(type_name, depth),
                 self.expression(condition, depth)]
        return f"select({', '.join(parts)})"

    def builtin(self, type_name, depth):
        kind = self.random.randrange(7)
        e = lambda t=type_name: self.expression(t, depth)
        if kind < 2:
            return f"{self.random.choice(ONE_ARGUMENT)}({e()})"
        if kind < 4:
            return f"{self.random.choice(['min', 'max'])}({e()}, {e()})"
        if kind == 4:
            offset, count = self.random.randint(0, 32), self.random.randint(0, 32)
            if self.chance(0.5):
                return f"extractBits({e()}, {offset}u, {min(count, 32 - offset)}u)"
            return f"insertBits({e()}, {e()}, {e('u32')}, {e('u32')})" if self.chance(0.5) else \
                f"extractBits({e()}, {e('u32')}, {e('u32')})"
        if kind == 5 and width_of(type_name) == 1:
            return f"dot({e(f'vec3<{type_name}>')}, {e(f'vec3<{type_name}>')})"
        return f"clamp({e()}, {self.from_input(type_name)}, {self.from_input(type_name)})"

    def convert(self, type_name, depth):
        other = self.random.choice([s for s in SCALARS if s != scalar_of(type_name)])
        source = other if width_of(type_name) == 1 else f"vec{width_of(type_name)}<{other}>"
        if other != "bool" and self.chance(0.5):
            return f"bitcast<{type_name}>({self.expression(source, depth)})"
        return f"{type_name}({self.expression(source, depth)})"

    def construct(self, type_name, depth):
        scalar, width = scalar_of(type_name), width_of(type_name)
        if width > 2 and self.chance(0.4):
            return f"{type_name}({self.expression(f'vec2<{scalar}>', depth)}, " + \
                ", ".join(self.expression(scalar, depth) for _ in range(width - 2)) + ")"
        if self.chance(0.3):
            return f"{type_name}({self.expression(scalar, depth)})"
        return f"{type_name}({', '.join(self.expression(scalar, depth) for _ in range(width))})"

    def swizzle(self, type_name, depth):
        source = self.random.randint(2, 4)
        letters = "".join(self.random.choice("xyzw"[:source]) for _ in range(width_of(type_name)))
        return f"({self.expression(f'vec{source}<{scalar_of(type_name)}>', depth)}).{letters}"

    def call(self, type_name, depth):
        fitting = [f for f in self.functions if f["returns"] == type_name]
        if not fitting or self.depth > 3:
            return self.leaf(type_name)
        function = self.random.choice(fitting)
        arguments = []
        for kind, parameter in function["parameters"]:
            if kind == "value":
                arguments.append(self.expression(parameter, depth - 1))
                continue
            # A pointer: only to a local whose address no other argument takes, and which no other argument reads.
            local = self.fresh("t")
            self.pending.append(f"var {local}: {parameter} = {self.leaf(parameter)};")
            arguments.append(f"&{local}")
        return f"{function['name']}({', '.join(arguments)})"

    # ---- statements

    def statement_expression(self, type_name, depth=3):
        """An expression and the declarations that must stand before its statement."""
        self.pending = []
        text = self.expression(type_name, depth)
        before, self.pending = self.pending, []
        return before, text

    def block(self, statements, extra=()):
        self.scopes.append(list(extra))
        self.depth += 1
        lines = []
        for _ in range(statements):
            if self.budget <= 0:
                break
            self.budget -= 1
            lines += self.statement()
        lines += self.fold_scope()
        self.depth -= 1
        self.scopes.pop()
        return lines

    def fold_scope(self):
        return [line for v in self.scopes[-1] if v.writable and v.name.startswith("v") for line in self.fold(v)]

    def fold(self, variable):
        items = [f"{variable.text}[{i}]" for i in range(variable.length)] or [variable.text]
        lines = []
        for item in items:
            width, scalar = width_of(variable.type), scalar_of(variable.type)
            for c in ([f"{item}.{'xyzw'[i]}" for i in range(width)] if width > 1 else [item]):
                word = {"u32": c, "i32": f"bitcast<u32>({c})", "bool": f"select(0u, 1u, {c})"}[scalar]
                lines.append(f"hash = (hash ^ {word}) * 16777619u;")
        return lines

    def statement(self):
        kinds = [self.declare] * 4 + [self.assign] * 6 + [self.compound] * 3 + [self.increment]
        if self.depth < 4:
            kinds += [self.if_statement] * 2 + [self.for_loop, self.loop, self.while_loop, self.switch, self.plain]
        if self.in_loop:
            kinds += [self.leave]
        return self.random.choice(kinds)()

    def declare(self):
        type_name = self.value_type()
        name = self.fresh("v")
        if self.chance(0.2):
            length = self.random.randint(2, 5)
            before, text = self.statement_expression(type_name, 2)
            variable = Variable(name, type_name, True, length)
            lines = before + [f"var {name}: array<{type_name}, {length}>;", f"{name}[{length - 1}] = {text};"]
        elif self.chance(0.3):
            before, text = self.statement_expression(type_name)
            variable = Variable(name, type_name, False)
            lines = before + [f"let {name} = {text};"]
        elif self.chance(0.2):
            variable = Variable(name, type_name, True)
            lines = [f"var {name}: {type_name};"]
        else:
            before, text = self.statement_expression(type_name)
            variable = Variable(name, type_name, True)
            lines = before + [f"var {name}{': ' + type_name if self.chance(0.5) else ''} = {text};"]
        self.scopes[-1].append(variable)
        return lines

    def target(self, scalars=SCALARS):
        """A writable place: (text, type)."""
        places = [v for v in self.visible() if v.writable and scalar_of(v.type) in scalars]
        if not places:
            return None
        variable = self.random.choice(places)
        self.pending = []
        text = f"{variable.text}[{self.position()} % {variable.length}u]" if variable.length else variable.text
        if width_of(variable.type) > 1 and self.chance(0.5):
            component = self.random.randrange(width_of(variable.type))
            if self.chance(0.5):
                return f"{text}.{'xyzw'[component]}", scalar_of(variable.type)
            return f"{text}[{self.position()} % {width_of(variable.type)}u]", scalar_of(variable.type)
        return text, variable.type

    def assign(self):
        place = self.target()
        if place is None:
            return []
        before, text = self.statement_expression(place[1])
        return before + [f"{place[0]} = {text};"]

    def compound(self):
        place = self.target(["i32", "u32"])
        if place is None:
            return []
        op = self.random.choice(ARITHMETIC)
        before, text = ([], self.from_input(place[1])) if op in "/%" else self.statement_expression(place[1], 2)
        return before + [f"{place[0]} {op}= {text};"]

    def increment(self):
        place = self.target(["i32", "u32"])
        if place is None or place[1] not in ("i32", "u32"):
            return []
        return [f"{place[0]}{self.random.choice(['++', '--'])};"]

    def plain(self):
        return ["{"] + self.block(self.random.randint(1, 3)) + ["}"]

    def if_statement(self):
        before, text = self.statement_expression("bool")
        lines = before + [f"if {text} {{"] + self.block(self.random.randint(1, 3))
        while self.chance(0.3):
            lines += [f"}} else if {self.leaf('bool')} {{"] + self.block(self.random.randint(1, 2))
        if self.chance(0.5):
            lines += ["} else {"] + self.block(self.random.randint(1, 3))
        return lines + ["}"]

    def looped(self, statements, extra=()):
        self.in_loop += 1
        lines = self.block(statements, extra)
        self.in_loop -= 1
        return lines

    def for_loop(self):
        i = self.fresh("k")
        count = self.random.randint(1, 6)
        kind = self.random.choice(["u", "i"])
        counter = Variable(i, f"{kind}32", False)
        head = f"for (var {i} = 0{kind}; {i} < {count}{kind}; {i}{self.random.choice(['++', f' += 1{kind}'])}) {{"
        return [head] + self.looped(self.random.randint(1, 3), [counter]) + ["}"]

    def while_loop(self):
        i = self.fresh("k")
        before = [f"var {i} = {self.random.randint(1, 5)}u;", f"while {i} > 0u {{", f"{i}--;"]
        return before + self.looped(self.random.randint(1, 3), [Variable(i, "u32", False)]) + ["}"]

    def loop(self):
        i = self.fresh("k")
        lines = [f"var {i} = 0u;", "loop {"]
        late = self.chance(0.5)
        if not late:
            lines += [f"if {i} >= {self.random.randint(1, 5)}u {{ break; }}"]
        lines += self.looped(self.random.randint(1, 3), [Variable(i, "u32", False)])
        lines += ["continuing {", f"{i} += 1u;", f"hash = (hash ^ {i}) * 31u;"]
        if late:
            lines += [f"break if {i} >= {self.random.randint(1, 5)}u;"]
        return lines + ["}", "}"]

    def leave(self):
        return [f"if {self.leaf('bool')} {{ {self.random.choice(['break', 'continue'])}; }}"]

    def switch(self):
        kind = self.random.choice(["i", "u"])
        before, text = self.statement_expression(f"{kind}32", 2)
        values = self.random.sample(range(0, 8), 5)
        lines = before + [f"switch ({text} & 7{kind}) {{"]
        outer, self.in_loop = self.in_loop, 0  # `break` would leave the switch, `continue` stays out of it for once
        for group in (values[:2], values[2:3], values[3:]):
            selectors = ", ".join(f"{v}{kind}" for v in group)
            lines += [f"case {selectors} {{"] + self.block(self.random.randint(1, 2))
            lines += ([f"if {self.leaf('bool')} {{ break; }}", "hash = hash * 3u;"] if self.chance(0.3) else []) + ["}"]
        lines += ["default {"] + self.block(1) + ["}", "}"]
        self.in_loop = outer
        return lines

    # ---- the module

    def function(self):
        name = self.fresh("f")
        parameters, variables = [], []
        for _ in range(self.random.randint(0, 3)):
            parameter_name, type_name = self.fresh("p"), self.value_type()
            if self.chance(0.3):
                parameters.append(("pointer", type_name))
                variables.append((f"{parameter_name}: ptr<function, {type_name}>",
                                  Variable(parameter_name, type_name, True, pointer=True)))
            else:
                parameters.append(("value", type_name))
                variables.append((f"{parameter_name}: {type_name}", Variable(parameter_name, type_name, False)))
        returns = self.value_type()
        self.budget = 12
        self.depth = 1
        body = self.block_with_result(returns, [v for _, v in variables])
        head = f"fn {name}({', '.join(text for text, _ in variables)}) -> {returns} {{"
        self.functions.append({"name": name, "parameters": parameters, "returns": returns})
        return [head] + body + ["}"]

    def block_with_result(self, returns, extra):
        self.scopes = [list(extra)]
        lines = []
        for _ in range(self.random.randint(1, 4)):
            self.budget -= 1
            lines += self.statement()
        if self.chance(0.3):
            lines += [f"if {self.leaf('bool')} {{ return {self.leaf(returns)}; }}"]
        lines += self.fold_scope()
        before, text = self.statement_expression(returns, 2)
        self.scopes = []
        return lines + before + [f"return {text};"]

    def text(self):
        lines = ["@group(0) @binding(0) var<storage, read> input: array<u32>;",
                 "@group(0) @binding(1) var<storage, read_write> output: array<u32>;",
                 "var<private> hash: u32 = 2166136261u;"]
        for _ in range(self.random.randint(0, 4)):
            name, type_name = self.fresh("v"), self.value_type()
            length = self.random.choice([0, 0, 3])
            store = f"array<{type_name}, {length}>" if length else type_name
            lines.append(f"var<private> {name}: {store};")
            self.globals.append(Variable(name, type_name, True, length))
        for _ in range(self.random.randint(0, 4)):
            lines += self.function()
        self.budget, self.depth = 40, 0
        self.scopes = []
        lines += ["@compute @workgroup_size(1)", "fn main() {"] + self.block(self.random.randint(6, 14))
        for variable in self.globals:
            lines += self.fold(variable)
        lines += ["output[0] = hash;", "}"]
        return indent(lines)


def indent(lines):
    depth, out = 0, []
    for line in lines:
        if line.startswith("}"):
            depth -= 1
        out.append("  " * depth + line)
        if line.endswith("{"):
            depth += 1
    return "\n".join(out) + "\n"


def program(seed):
    return Program(seed).text()
