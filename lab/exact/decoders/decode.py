"""Decodes and encodes messages with the types of modules of the Python SDK; see `src/peers.rs`.

With several modules, a message has to be accepted by the types of each, as a session does it, and is
encoded with those of the last one.
"""

import importlib
import json
import sys

from pydantic import PydanticUserError, TypeAdapter, ValidationError


def adapters(module):
    for name in dir(module):
        if name[0].isupper() and not name.isupper():
            try:
                yield name, TypeAdapter(getattr(module, name))
            except (NameError, PydanticUserError):
                pass  # It is no type, or names one that the module does not have.


modules = [dict(adapters(importlib.import_module(name))) for name in sys.argv[1:]]
names = [name for name in modules[0] if all(name in types for types in modules)]
print(json.dumps(names), flush=True)
for line in sys.stdin:
    name, text = json.loads(line)
    try:
        for types in modules:
            # As in the sessions of the SDK.
            value = types[name].validate_python(json.loads(text), by_name=False)
            back = [types[name].dump_python(value, by_alias=True, mode="json", exclude_none=True)]
    except ValidationError:
        back = None
    print(json.dumps(back), flush=True)
