"""Programs by rule: each function makes one small WGSL program about one section of the specification, from a
random.Random. Whether it is valid is for the implementations to say, and the text to judge (verdicts.py)."""

RULES = {}  # function name -> (section of the specification, function)


def rule(section):
    def register(function):
        RULES[function.__name__] = (section, function)
        return function

    return register


def load():
    from rules import builtins, declarations, expressions, layout, statements, text  # noqa: F401 (they register)

    return RULES
