"""Spec "Textual Structure", "Directives", "Diagnostics": literals, identifiers, template lists, comments, directives."""

from rules import rule


def number(r):
    digits = lambda n: "".join(r.choice("0123456789") for _ in range(r.randint(0, n)))  # noqa: E731
    hexes = lambda n: "".join(r.choice("0123456789abcdefABCDEF") for _ in range(r.randint(0, n)))  # noqa: E731
    exponent = lambda c: r.choice(["", f"{c}{r.choice(['', '+', '-'])}{digits(3)}"])  # noqa: E731
    suffix = r.choice(["", "", "", "i", "u", "f", "h", "l"])
    kind = r.randrange(6)
    if kind == 0:
        return r.choice(["0", digits(12), "0" + digits(2), "4294967295", "2147483648", "9223372036854775808"]) + suffix
    if kind == 1:
        return f"0{r.choice('xX')}{hexes(18)}{suffix}"
    if kind == 2:
        return f"{digits(3)}.{digits(4)}{exponent(r.choice('eE'))}{suffix}"
    if kind == 3:
        return f"{digits(2)}{exponent('e')}{suffix}"
    if kind == 4:
        return f"0x{hexes(3)}{r.choice(['', '.'])}{hexes(4)}{exponent(r.choice('pP'))}{suffix}"
    return r.choice(["65504h", "65505.0h", "65520h", "3.4028235e38f", "3.4028236e38f", "1e39f", "1e-50f", "0x1p-149f", "0x1p-150f", "0x1.8p-149f",
                     "0x1.fffffep127f", "0x1.ffffffp127f", "0x1p128f", "0x1p-24h", "0x1p-25h", "0x1.ffcp15h", "0x1.ffep15h", "1e308", "1e309",
                     "0x1p1023", "0x1p1024", "0x1p-1074", "0x1p-1075", "1.e3", ".5", "5.", ".", "1_000", "0b1", "0o7", "1e", "0x", "0x.p1", "0x1.p",
                     "1ff", "1.0i", "0x1u", "0x1i", "0x1f", "0x1.0", "00", "01", "1u32", "1.5.", "0xg", "2147483647i", "2147483648i", "-2147483648i"])


@rule("Literals")
def literals(r):
    return f"enable f16;\nconst x = {r.choice(['', '-', '- '])}{number(r)};\n"


@rule("Identifiers, keywords and reserved words")
def identifiers(r):
    words = ["a", "_", "__", "_a", "a_", "a__b", "__a", "é", "数", "a\u0301", "𝒳", "1a", "a1", "a-b", "a b", "null", "struct", "fn", "self", "async", "mod",
             "common", "fixed", "unless", "vec3f", "NULL", "Self", "sizeof", "ref", "f64", "i64", "u8", "handle", "mat", "smooth", "unorm", "highp",
             "typedef", "void", "where", "yield", "import", "\u200d", "a\u200d", "é_", "ª", "²", "Ω", "a.b", "$a", "a$", "@a", "#a", "auto", "operator",
             "goto", "enum", "const_assert", "loop", "true", "_0", "regardless", "premerge", "binding_array", "texture_2d", "precise", "final"]
    form = r.choice(["const {} = 1;", "fn {}() {{}}", "struct {} {{ a: i32 }}", "struct S {{ {}: i32 }}", "alias {} = i32;", "fn f({}: i32) {{}}",
                     "fn f() {{ let {} = 1; }}", "var<private> {}: i32;", "override {}: i32;", "fn f() {{ _ = s.{}; }}", "enable {};", "requires {};"])
    return form.format(r.choice(words)) + "\n"


@rule("Template Lists: where '<' begins one")
def templates(r):
    pieces = ["a", "b", "c", "i32", "array", "vec2", "f", "<", "<", ">", ">", "<=", ">=", ">>", "<<", ",", "(", ")", "[", "]", "1", "&&", "||", "+",
              "=", "==", "!=", ";", ":", "ptr", "function"]
    body = " ".join(r.choice(pieces) for _ in range(r.randint(3, 9)))
    canned = ["a<b, c>(1)", "a < b, c > (1)", "vec2<i32>(1, 2).x < b", "a<b>c", "(a < b) && (c > a)", "a<b || c>a", "a < b && c > a", "array<i32, 1 << 1>()",
              "array<i32, (2 > 1)>()", "array<i32, select(1, 2, 3 > 2)>()", "vec2<vec2<i32>>()", "array<vec2<i32>, 2>()", "array<vec2<i32>,2>=1", "a<b>=c",
              "f(a<b, b>c)", "array<i32, a[b<c]>", "a<1>(2)", "vec2<i32 >(1)", "ptr<function, i32>", "a<b=c>", "a<b;c>", "array<array<i32, 2>, 2>()[1][0]"]
    return f"fn f(x: i32) -> i32 {{ return x; }}\nfn g(a: i32, b: i32, c: i32) {{ _ = {r.choice([body, r.choice(canned), r.choice(canned)])}; }}\n"


@rule("Comments, blankspace and line breaks")
def comments(r):
    plain = [" ", "/* a */", "//x\n", "\t", "\u2028", "\u200e", "\u0085", "\v", "//y\u2029"]
    parts = ["/* a */", "/* /* nested */ */", "/* open", "// line\n", "// line\r", "//\u2028", "//\u0085", "//\u2029", "/* */ */", "/**/", "/*/", "//*\n",
             "\t", "\v", "\f", "\u200e", "\u200f", "\u00a0", "\ufeff", "\u2003", "\0", "\x1b", "\u0085", "\u2028", " ", "/", "*/"]
    some = lambda: r.choice(parts if r.random() < 0.25 else plain)  # noqa: E731
    pieces = ["const", some(), " x", some(), "=", some(), "1", some(), ";", some()]
    return "".join(pieces) + ("" if r.random() < 0.5 else "\n")


@rule("Directives")
def directives(r):
    lines = ["enable f16;", "enable f16, subgroups;", "enable f16,;", "enable;", "enable nowhere;", "enable f16 subgroups;", "requires pointer_composite_access;",
             "requires packed_4x8_integer_dot_product, unrestricted_pointer_parameters;", "requires nowhere;", "requires;", "requires f16;",
             "diagnostic(off, derivative_uniformity);", "diagnostic(error, derivative_uniformity);", "diagnostic(off, a.b);", "diagnostic(off, a.b.c);",
             "diagnostic(off, derivative_uniformity,);", "diagnostic(loud, derivative_uniformity);", "diagnostic(info, nowhere);", "diagnostic off, a;",
             "diagnostic(warning, subgroup_uniformity);", ";", "const x = 1;", "const_assert true;", "fn f() {}", "enable f16", "const y = 1h;", "diagnostic(off);",
             "requires linear_indexing, subgroup_id;", "requires uniform_buffer_standard_layout;", "requires readonly_and_readwrite_storage_textures,;", "enable i32;"]
    return "\n".join(r.choice(lines) for _ in range(r.choice([1, 2, 3]))) + "\n"


@rule("Punctuation: tokens left out, doubled, or exchanged")
def tokens(r):
    source = r.choice([
        "struct S { a : i32 , b : vec2 < f32 > , }",
        "fn f ( a : i32 , b : ptr < function , i32 > ) -> i32 { * b = a ; return a + 1 ; }",
        "@ compute @ workgroup_size ( 1 , 2 ) fn f ( @ builtin ( local_invocation_id ) a : vec3u ) { }",
        "@ group ( 0 ) @ binding ( 1 ) var < storage , read_write > x : array < u32 > ;",
        "fn f ( ) { for ( var i = 0 ; i < 3 ; i ++ ) { if i == 1 { continue ; } else { break ; } } }",
        "fn f ( ) { switch 1 { case 1 , 2 : { } default { } } loop { continuing { break if true ; } } while false { } }",
        "override a : i32 = 1 ; @ id ( 3 ) override b = a ; alias T = array < i32 , 4 > ; const c = T ( ) [ 1 ] ; const_assert c == 0 ;",
        "fn f ( ) { let a = - 1 ; var b : i32 ; b += ~ a << 2u ; _ = ( b & 3 ) == 0 || ! ( a < b ) ; }",
    ]).split(" ")
    at = r.randrange(len(source))
    kind = r.randrange(5)
    if kind == 0:
        del source[at]
    elif kind == 1:
        source.insert(at, source[at])
    elif kind == 2:
        source.insert(at, r.choice([";", ",", "(", ")", "{", "}", "=", "@", "<", ">", ":", "->", "fn", "var", "1", "x", "_", ".", "::", "[", "]"]))
    elif kind == 3 and at + 1 < len(source):
        source[at], source[at + 1] = source[at + 1], source[at]
    else:
        source[at] = r.choice([";", ",", "(", ")", "{", "}", "=", "@", "<", ">", ":", "->", "fn", "var", "1", "x", "_", ".", "let", "const", "1u", "true"])
    return " ".join(source) + "\n"
