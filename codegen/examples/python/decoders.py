"""Writes decoders in Python from the model of a revision.

    cargo run -p codegen --example model -- 2026-07-28 | python3 codegen/examples/python/decoders.py > mcp.py

A sketch of a generator for another language. `docs/reference/model.md` describes what it reads. The
output has a function `decode_NAME(value, path="$")` for each type. It returns the value if the type
accepts it, and raises `DecodeError` with the path of the fault if it does not. Names of extensions and
proposals as arguments, such as `tasks`, include what they add.
"""

import json
import re
import sys

RUNTIME = '''
import json

class DecodeError(ValueError):
    """A value that its type does not accept. `path` is its place in the message."""

    def __init__(self, path, expected, found):
        super().__init__(f"{path}: expected {expected}, found {json.dumps(found)[:60]}")
        self.path = path

def kind_of(value):
    if isinstance(value, bool):
        return "boolean"
    kinds = {type(None): "null", int: "number", float: "number", str: "string", list: "list"}
    return kinds.get(type(value), "object")

def same(a, b):
    return kind_of(a) == kind_of(b) and a == b

def check(ok, path, expected, value):
    if not ok:
        raise DecodeError(path, expected, value)
    return value

def within(size, low, high, path, value):
    fits = (low is None or low <= size) and (high is None or size <= high)
    return check(fits, path, f"{low} to {high}", value)

def any_value(value, path):
    return value

def named(function):
    return lambda value, path: globals()[function](value, path)

def simple(kind):
    return lambda value, path: check(kind_of(value) == kind, path, kind, value)

def number(low, high, whole):
    def decode(value, path):
        check(kind_of(value) == "number", path, "a number", value)
        check(not whole or value % 1 == 0, path, "an integer", value)
        return within(value, low, high, path, value)
    return decode

def string(low, high):
    return lambda value, path: within(len(simple("string")(value, path)), low, high, path, value)

def values(known, is_open):
    fits = lambda value: kind_of(value) == "string" and (is_open or value in known)
    return lambda value, path: check(fits(value), path, f"one of {known}", value)

def constant(known):
    return lambda value, path: check(same(value, known), path, json.dumps(known), value)

def nullable(of):
    return lambda value, path: None if value is None else of(value, path)

def list_of(of, low, high):
    def decode(value, path):
        within(len(simple("list")(value, path)), low, high, path, value)
        return [of(item, f"{path}[{at}]") for at, item in enumerate(value)]
    return decode

def map_of(of):
    def decode(value, path):
        members = simple("object")(value, path).items()
        return {name: of(item, f"{path}.{name}") for name, item in members}
    return decode

def record(is_open, members):
    def decode(value, path):
        simple("object")(value, path)
        for name, (required, of) in members.items():
            check(name in value or not required, path, f"the member {name}", value)
        for name, item in value.items():
            check(is_open or name in members, f"{path}.{name}", "no such member", item)
        free = (False, any_value)
        return {name: members.get(name, free)[1](item, f"{path}.{name}") for name, item in value.items()}
    return decode

def fits(value, candidate):
    """Whether an object has the members by which a variant is recognized."""
    return (
        all(name in value for name in candidate.get("has", []))
        and all(isinstance(value.get(outer), dict) and all(name in value[outer] for name in inner)
                for outer, inner in candidate.get("inside", {}).items())
        and all(name in value and any(same(value[name], known) for known in allowed)
                for name, allowed in candidate.get("equals", {}).items())
    )

def union(variants, select):
    """`variants` has the decoders by position, without those of additions that are left out."""
    def positions(value, path):
        rule = select.get(kind_of(value), [])
        if isinstance(rule, list):
            return rule
        if "try" in rule:
            return [candidate["variant"] for candidate in rule["try"] if fits(value, candidate)]
        tag = rule["tag"]
        if tag not in value:
            return [rule["absent"]] if "absent" in rule else []
        known = value[tag] if isinstance(value[tag], str) else None
        return [rule["values"][known]] if known in rule["values"] else []

    def decode(value, path):
        first = None
        for at in positions(value, path):
            try:
                if at in variants:
                    return variants[at](value, path)
            except DecodeError as error:
                first = first or error
        raise first or DecodeError(path, "a variant of the union", value)
    return decode
'''


class Generator:
    def __init__(self, model, additions=()):
        self.model = model
        self.additions = set(additions)

    def has(self, item):
        """Whether the revision itself, or one of the additions that are wanted, has an item."""
        return "addedBy" not in item or self.additions & set(item["addedBy"])

    def decoder(self, form):
        """Returns the expression for the decoder of a form."""
        kind = form["kind"]
        bounds = f"{form.get('min')}, {form.get('max')}"
        if kind in ("boolean", "null"):
            return f"simple({kind!r})"
        if kind in ("integer", "number"):
            return f"number({bounds}, {kind == 'integer'})"
        if kind == "string":
            return f"string({bounds})"
        if kind == "list":
            return f"list_of({self.decoder(form['of'])}, {bounds})"
        if kind in ("map", "nullable"):
            name = "map_of" if kind == "map" else kind
            return f"{name}({self.decoder(form['of'])})"
        if kind == "constant":
            return f"constant({form['value']!r})"
        if kind == "enum":
            return f"values({[known['value'] for known in form['values']]!r}, {form['open']})"
        if kind == "named":
            return f"named({function(form['name'])!r})"
        if kind == "object":
            members = [(name, member) for name, member in form["members"].items() if self.has(member)]
            rows = [f"    {name!r}: ({member['required']}, {self.decoder(member['type'])}),\n"
                    for name, member in members]
            return f"record({form['open']}, {{\n{''.join(rows)}}})"
        if kind == "union":
            rows = [f"    {at}: {self.decoder(variant['type'])},\n"
                    for at, variant in enumerate(form["variants"]) if self.has(variant)]
            return f"union({{\n{''.join(rows)}}}, {form['select']!r})"
        assert kind == "any", f"unknown kind {kind}"
        return "any_value"

    def text(self):
        parts = [f'"""Decoders of revision {self.model["revision"]}. Generated."""\n', RUNTIME]
        parts += [f"{name} = {value!r}\n" for name, value in self.model["constants"].items()]
        for name, form in self.model["types"].items():
            if self.has(form):
                doc = form.get("doc", name) + ("\n\nDeprecated." if form.get("deprecated") else "")
                doc = json.dumps(doc, ensure_ascii=False)
                parts.append(f"\n\n_{function(name)} = {self.decoder(form)}\n\n\n"
                             f"def {function(name)}(value, path=\"$\"):\n    {doc}\n"
                             f"    return _{function(name)}(value, path)\n")
        parts.append("\n\n# Kind, method, sender, and the decoders of params and result.\nMESSAGES = {\n")
        for message in self.model["messages"]:
            if self.has(self.model["types"][message["name"]]):
                known = [repr(message.get(key)) for key in ("kind", "method", "sender")]
                parts_of = [message.get("params", {}).get("type"), message.get("result")]
                known += [self.decoder(form) if form else "None" for form in parts_of]
                parts.append(f"    {message['name']!r}: ({', '.join(known)}),\n")
        return "".join(parts) + "}\n"


def function(name):
    return "decode_" + re.sub(r"\W", "_", name)


if __name__ == "__main__":
    sys.stdout.write(Generator(json.load(sys.stdin), sys.argv[1:]).text())
