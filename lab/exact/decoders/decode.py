"""Decodes and encodes messages with the types of a module of the Python SDK; see `src/peers.rs`."""

import importlib
import json
import sys

from pydantic import PydanticUserError, TypeAdapter, ValidationError

module = importlib.import_module(sys.argv[1])


def adapters():
    for name in dir(module):
        if name[0].isupper() and not name.isupper():
            try:
                yield name, TypeAdapter(getattr(module, name))
            except (NameError, PydanticUserError):
                pass  # It is no type, or names one that the module does not have.


types = dict(adapters())
print(json.dumps(list(types)), flush=True)
for line in sys.stdin:
    name, text = json.loads(line)
    try:
        # As in the sessions of the SDK.
        value = types[name].validate_python(json.loads(text), by_name=False)
        back = [types[name].dump_python(value, by_alias=True, mode="json", exclude_none=True)]
    except ValidationError:
        back = None
    print(json.dumps(back), flush=True)
