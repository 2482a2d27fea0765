"""Compares the decoders of `decoders.py` with the published schema.

    cargo run -p codegen --example model -- 2026-07-28 | python3 codegen/examples/python/compare.py

Needs the package `jsonschema`, which judges the values: examples of messages, values that are made
from the schema, and both with one place changed. Fails if a decoder and the published schema disagree
about a value and no erratum explains it, or if a definition has no decoder. `--show` prints each
disagreement, `--all` compares all mutants instead of a sample.
"""

import argparse
import copy
import json
import multiprocessing
import pathlib
import random
import sys
from collections import Counter
from itertools import islice

import jsonschema

import decoders

SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "schema"
OTHERS = ["x", "", -1, 0, 0.5, 1.0, 1.5, 1000, True, [], {}, [1], {"a": 1}, None]
UNKNOWN = "com.example/unknown"
REMOVED = object()
# Values of a definition that are taken from examples of other types, and mutants of one place.
BORROWED, SAMPLE = 4, 3
# Mutants of one value without a part, and with a changed part.
WITHOUT, CHANGED = 20, 40


class Judge:
    """A schema, which says whether a value is valid."""

    def __init__(self, document, definitions):
        self.definitions = definitions
        base = {key: value for key, value in document.items() if key in ("$schema", "$defs", "definitions")}
        kind = jsonschema.validators.validator_for(document)
        key = "$defs" if "$defs" in document else "definitions"
        base[key] = definitions
        self.validators = {
            name: kind({**base, **({"$ref": f"#/{key}/{name}"} if key == "$defs"
                                   else {"allOf": [{"$ref": f"#/{key}/{name}"}]})})
            for name in definitions
        }

    def accepts(self, name, value):
        return self.validators[name].is_valid(value)


def read(path):
    return json.loads((SCHEMA / path).read_text(encoding="utf-8"))


def place(root, pointer):
    """Returns the value that contains a place, and the key of the place in it."""
    *parents, key = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for parent in parents:
        root = root[int(parent) if isinstance(root, list) else parent]
    return root, int(key) if isinstance(root, list) else key


def corrected(definitions, errata):
    """Applies errata. References in them have the form of newer documents."""
    definitions = copy.deepcopy(definitions)
    for change in (change for erratum in errata for change in erratum["changes"]):
        if "order" in change:
            continue
        parent, key = place(definitions, change["at"])
        if "now" in change:
            parent[key] = change["now"]
        else:
            del parent[key]
    return definitions


def with_references(value, prefix):
    if isinstance(value, dict):
        return {key: item.replace("#/$defs/", prefix) if key == "$ref" and isinstance(item, str)
                else with_references(item, prefix) for key, item in value.items()}
    return [with_references(item, prefix) for item in value] if isinstance(value, list) else value


def made(schema, definitions, full, within=()):
    """Makes values of a schema: with required members only, or with all, but no type within itself."""
    if "$ref" in schema:
        name = schema["$ref"].split("/")[-1]
        if name not in within:
            yield from made(definitions[name], definitions, full, (*within, name))
    elif "const" in schema or "enum" in schema:
        yield from schema["enum"] if "enum" in schema else [schema["const"]]
    elif "allOf" in schema:
        whole = {}
        for part in schema["allOf"]:
            whole.update(next(made(part, definitions, full, within), {}))
        yield whole
    elif "anyOf" in schema:
        for part in schema["anyOf"]:
            yield from made(part, definitions, full, within)
    elif isinstance(schema.get("type"), list):
        for kind in schema["type"]:
            yield from made({**schema, "type": kind}, definitions, full, within)
    elif schema.get("type") == "object" or "properties" in schema:
        yield from made_objects(schema, definitions, full, within)
    elif schema.get("type") == "array":
        yield list(islice(made(schema.get("items", {}), definitions, full, within), 3))
        yield []
    else:
        low = schema.get("minimum", 1)
        yield {"string": "text", "integer": low, "number": low, "boolean": False}.get(schema.get("type"))


def made_objects(schema, definitions, full, within):
    required = schema.get("required", [])
    whole, choices = {name: "text" for name in required}, []
    for name, member in schema.get("properties", {}).items():
        if name in required or full:
            found = list(islice(made(member, definitions, full, within), 12))
            if found:
                whole[name] = found[0]
                choices += [(name, other) for other in found[1:]]
    further = schema.get("additionalProperties")
    if full and isinstance(further, dict):
        whole.update(zip(("one", "two"), made(further, definitions, full, within)))
    yield whole
    yield from ({**whole, name: other} for name, other in choices)


def parts(value):
    """Returns a value and all values in it."""
    yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from parts(part)


def places(value, at=()):
    yield at
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    for key in keys:
        yield from places(value[key], (*at, key))


def changed(value, at, new):
    """Returns a value with another one at a place, or without it."""
    if not at:
        return new
    value = copy.copy(value)
    if len(at) > 1:
        value[at[0]] = changed(value[at[0]], at[1:], new)
    elif new is REMOVED:
        del value[at[0]]
    else:
        value[at[0]] = new
    return value


def mutants(value, words, chance, all_of_them):
    """Returns a value with one place changed, in many ways, and without each of its parts."""
    without, found = [], []
    for at in places(value):
        old = value
        for key in at:
            old = old[key]
        news = [new for new in OTHERS if json.dumps(new) != json.dumps(old)] + chance.sample(words, 3)
        if isinstance(old, dict):
            news.append({**old, UNKNOWN: {"a": [1]}})
        if isinstance(old, list) and old:
            news += [[*old, "x"], [old[0]] * (1 if isinstance(old[0], (dict, list)) else 101)]
        if not all_of_them:
            # All other numbers in place of a number, because bounds are near.
            near = [new for new in news if {type(old), type(new)} <= {int, float}]
            news = near + chance.sample(news, SAMPLE)
        found += [changed(value, at, new) for new in news]
        without += [changed(value, at, REMOVED)] if at else []
    if all_of_them:
        return without + found
    few = lambda mutants, most: chance.sample(mutants, min(most, len(mutants)))
    return few(without, WITHOUT) + few(found, CHANGED)


def words_of(value):
    """Returns the constants and the values of enumerations of a schema."""
    words = [word for part in parts(value) if isinstance(part, dict)
             for word in [part.get("const"), *(part["enum"] if isinstance(part.get("enum"), list) else [])]]
    return sorted({word for word in words if isinstance(word, str)})


class Comparison:
    """What a process needs to compare decoders with the published schema."""

    def __init__(self, model, options):
        self.options = options
        self.module = {}
        exec(decoders.Generator(model).text(), self.module)  # Another program would import them.
        revision = model["revision"]
        document = read(f"{revision}/schema.json")
        key = "$defs" if "$defs" in document else "definitions"
        self.published = Judge(document, document[key])
        file = SCHEMA / f"errata/{revision}.json"
        errata = json.loads(file.read_text(encoding="utf-8"))["errata"] if file.is_file() else []
        errata = with_references(errata, f"#/{key}/")
        self.errata = {erratum["name"]: Judge(document, corrected(document[key], [erratum])) for erratum in errata}
        self.examples = {key: value for key, value in read("examples.json").items()
                         if "/" not in key or key.startswith(f"{revision}/")}
        self.examples = {key.split("/")[-1]: value for key, value in self.examples.items()}
        pool = {json.dumps(part): part for value in self.examples.values() for part in parts(value)}
        self.pool = list(pool.values())
        self.words = words_of(self.published.definitions)

    def values(self, name):
        """Returns the values to compare for a definition."""
        chance = random.Random(name)
        definitions = self.published.definitions
        values = [self.examples[name]] if name in self.examples else []
        for full in (False, True):
            values += islice(made(definitions[name], definitions, full), 12)
        borrowed = [value for value in self.pool if self.published.accepts(name, value)]
        values += chance.sample(borrowed, min(BORROWED, len(borrowed)))
        values = list({json.dumps(value): value for value in values}.values())
        for value in list(values):
            values += mutants(value, self.words, chance, self.options.all)
        return list({json.dumps(value): value for value in values}.values())

    def compare(self, name):
        """Returns counts of valid and invalid values and of reasons, and the lines of disagreements."""
        counts, lines = Counter(), []
        decode = self.module.get(decoders.function(name))
        if decode is None:
            return name, counts, [(None, f"{name}: no decoder")]
        for value in self.values(name):
            try:
                accepted = decode(value) == value
                problem = "refused: the value is returned with a change"
            except self.module["DecodeError"] as error:
                accepted, problem = False, f"refused: {error}"
            valid = self.published.accepts(name, value)
            counts["valid" if valid else "invalid"] += 1
            if accepted != valid:
                reason = next((erratum for erratum, judge in self.errata.items()
                               if judge.accepts(name, value) == accepted), None)
                counts[reason, accepted] += 1
                problem = "accepted" if accepted else problem
                lines.append((reason, f"{name}: {problem}: {json.dumps(value)[:200]}"))
        return name, counts, lines


def start(model, options):
    global comparison
    comparison = Comparison(model, options)


def compare(name):
    return comparison.compare(name)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--show", action="store_true")
    options.add_argument("--all", action="store_true")
    options.add_argument("--jobs", type=int, help="processes; one for each processor by default")
    options = options.parse_args()
    model = json.load(sys.stdin)
    document = read(f"{model['revision']}/schema.json")
    names = list(document.get("$defs") or document["definitions"])
    counts, faults, without = Counter(), [], []
    with multiprocessing.Pool(options.jobs, start, (model, options)) as pool:
        for name, found, lines in pool.imap_unordered(compare, names):
            counts += found
            faults += [line for reason, line in lines if reason is None]
            without += [] if found["valid"] and found["invalid"] else [name]
            for reason, line in lines if options.show else []:
                print(f"{reason or 'unexplained'}: {line}")
    print(f"{model['revision']}: {len(names)} definitions, {counts['valid']} valid and "
          f"{counts['invalid']} invalid values")
    if without:
        print(f"without valid or without invalid values: {', '.join(sorted(without))}")
    print("| disagreement explained by | valid refused | invalid accepted |\n| --- | --- | --- |")
    for reason in sorted({key[0] for key in counts if isinstance(key, tuple)}, key=str):
        print(f"| {reason or '**nothing**'} | {counts[reason, False]} | {counts[reason, True]} |")
    for fault in faults[:20]:
        print(fault, file=sys.stderr)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
