"""Writes the requests of a quickstart from the model of a revision, as commands for curl.

    cargo run -p codegen --example model -- 2026-07-28 | python3 codegen/examples/python/quickstart.py

With the URL of a server as an argument, sends the requests, checks each answer with the decoder of its
type, and prints both. Fails if an answer does not have the type that the model says. At the end, the
script prints how many of the values in the requests the model has, and what it had to be told.

What it had to be told is at the top: the calls and their order, names and arguments of the server, the
name of the client, and headers. No schema has these.
"""

import json
import sys
import urllib.request

import decoders

# The calls, in order, with the values of required and of chosen members.
STEPS = {
    "server/discover": {},
    "tools/list": {},
    "tools/call": {"name": "greet", "arguments": {"name": "Ada"}},
}
# Members of every request whose value is free in the schema, or that are worth sending.
VALUES = {
    "io.modelcontextprotocol/protocolVersion": lambda model: model["constants"]["LATEST_PROTOCOL_VERSION"],
    "io.modelcontextprotocol/clientInfo": lambda _: {"name": "curl", "version": "1"},
}
# Headers of the transport, some of which repeat members of the body.
HEADERS = {
    "Content-Type": lambda body: "application/json",
    "Accept": lambda body: "application/json, text/event-stream",
    "MCP-Protocol-Version": lambda body: body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"],
    "Mcp-Method": lambda body: body["method"],
    "Mcp-Name": lambda body: body["params"].get("name"),
}


class Quickstart:
    def __init__(self, model):
        self.model = model
        self.messages = {message["method"]: message for message in model["messages"]}
        self.decoders = {}
        exec(decoders.Generator(model).text(), self.decoders)
        self.members, self.from_model, self.told = 0, 0, []

    def value(self, form, chosen, path):
        """Returns a value of a form: constants, required members, and what was chosen."""
        kind = form["kind"]
        if kind == "named":
            return self.value(self.model["types"][form["name"]], chosen, path)
        if kind == "object":
            members = {}
            for name, member in form["members"].items():
                self.members += name in chosen or name in VALUES or member["required"]
                at = f"{path}.{name}"
                if name in chosen or name in VALUES:
                    members[name] = chosen[name] if name in chosen else VALUES[name](self.model)
                    self.told.append(name)
                elif member["required"]:
                    members[name] = self.value(member["type"], chosen, at)
            return members
        self.from_model += 1
        if kind == "constant":
            return form["value"]
        if kind == "map":
            return {}
        raise ValueError(f"{path}: the model does not say which {kind} to send")

    def request(self, number, method):
        message = self.messages[method]
        chosen = {"id": number, **STEPS[method]}
        body = self.value(self.model["types"][message["name"]], chosen, method)
        self.decoders[decoders.function(message["name"])](body)
        headers = {name: of(body) for name, of in HEADERS.items()}
        return body, {name: text for name, text in headers.items() if text}

    def check(self, method, answer):
        """Checks an answer by the type of its result."""
        self.decoders["decode_JSONRPCResultResponse"](answer)
        form = self.messages[method]["result"]
        self.decoders[decoders.function(form["name"])](answer["result"])


def curl(url, body, headers):
    options = "".join(f" \\\n  -H {quoted(f'{name}: {text}')}" for name, text in headers.items())
    return f"curl -s {url}{options} \\\n  -d {quoted(json.dumps(body))}"


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def send(url, body, headers):
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as response:
        text = response.read().decode()
        if response.headers.get_content_type() == "text/event-stream":
            # The answer is the last message of the stream.
            text = [line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip()][-1]
        return json.loads(text)


def main():
    url = sys.argv[1] if len(sys.argv) > 1 else None
    quickstart = Quickstart(json.load(sys.stdin))
    for number, method in enumerate(STEPS, 1):
        body, headers = quickstart.request(number, method)
        print(f"# {method}\n{curl(url or 'http://127.0.0.1:8080/mcp', body, headers)}")
        if url:
            answer = send(url, body, headers)
            quickstart.check(method, answer)
            print(json.dumps(answer))
        print()
    told = quickstart.told
    print(f"# {len(STEPS)} methods, the names of {quickstart.members} members and {quickstart.from_model} values are in "
          f"the model; {len(told)} values were told: {', '.join(dict.fromkeys(told))}; and {len(HEADERS)} headers")


if __name__ == "__main__":
    main()
