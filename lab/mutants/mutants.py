"""Finds out which tests notice faults that are put into the server and the client on purpose.

Usage, in a copy of the repository that may be changed, with `cargo-mutants` and `cargo-nextest`:

    python3 lab/mutants/mutants.py prepare --count 60 --seed 1
    python3 lab/mutants/mutants.py run

`prepare` draws functions from the list of `cargo mutants`, and lets each return a constant if the
environment variable MUTANT has its number, so that all faults are compiled once. `run` runs the scenarios
of the official suite for the side that has the fault, then the tests of server and client, and appends a
line for each fault to `target/mutants/results.tsv`. It continues where it was interrupted. With `--parts`, several copies of the prepared folder, target
and all, share the work, each at the same path in a mount namespace of its own. The first line is
a run without a fault. Tests that fail are repeated once, so that a busy machine finds no faults.

The columns: number, place, function, what it returns; the suite and the first scenario that fails; the
tests and the first one that fails.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target/mutants"
CHOSEN, RESULTS = FOLDER / "chosen.json", FOLDER / "results.tsv"
PACKAGES = ["mcp-server", "mcp-client"]
# The core: what a peer can notice without an extension.
FOLDERS = re.compile(r"^mcp-(server|client)/src/(protocol|features|transport)/")
SWITCH = """
#[doc(hidden)]
pub(crate) fn mutant() -> u32 {
    static NUMBER: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
        std::env::var("MUTANT").ok().and_then(|it| it.parse().ok()).unwrap_or(0)
    });
    *NUMBER
}
"""
# Most tests wait for timeouts rather than compute.
TESTS = ["nextest", "run", "--all-features", "--test-threads", "4", "--config-file", str(FOLDER / "nextest.toml"), "--fail-fast", "--retries", "1", "-E", "not binary(soak)"]
SUITE = ["run", "--quiet", "--package", "xtask", "--all-features", "--", "conformance"]
SUITE_TIME, TEST_TIME = 600, 1800
# A test that a fault lets hang ends.
NEXTEST = '[profile.default]\nslow-timeout = { period = "60s", terminate-after = 3 }\n'


def cargo(arguments, number=0, limit=None, **options):
    environment = dict(os.environ, MUTANT=str(number), CARGO_INCREMENTAL="0", CARGO_PROFILE_DEV_DEBUG="none", CARGO_PROFILE_DEV_OPT_LEVEL="1")
    command = ["cargo", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, timeout=limit, **options)


def target():
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def packages():
    return [part for name in PACKAGES for part in ("-p", name)]


def candidates():
    """Returns functions whose body can be replaced, with one replacement each."""
    listed = cargo(["mutants", "--list", "--json", "--all-features", *packages()], capture_output=True, text=True)
    listed.check_returncode()
    for mutant in json.loads(listed.stdout):
        if mutant["genre"] != "FnValue" or not FOLDERS.match(mutant["file"]):
            continue
        start = mutant["span"]["start"]
        lines = (ROOT / mutant["file"]).read_text().splitlines()
        head = "\n".join(lines[max(0, start["line"] - 12) : start["line"]])
        # A constant function cannot read the environment.
        if "const fn" not in head.rsplit("}", 1)[-1]:
            yield mutant


def draw(count, seed):
    by_function = collections.defaultdict(list)
    for mutant in candidates():
        by_function[mutant["file"], mutant["function"]["function_name"]].append(mutant)
    chance = random.Random(seed)
    drawn = chance.sample(sorted(by_function), min(count, len(by_function)))
    return [chance.choice(by_function[key]) for key in drawn]


def instrument(mutants):
    """Writes the mutants into the sources, the last one of a file first."""
    cargo_files = {mutant["file"] for _, mutant in mutants}
    subprocess.run(["git", "checkout", "--quiet", "--", *{file.split("/src/")[0] + "/src" for file in cargo_files}], cwd=ROOT, check=True)
    for package in PACKAGES:
        lib = ROOT / package / "src/lib.rs"
        lib.write_text(lib.read_text() + SWITCH)
    order = sorted(mutants, key=lambda one: (one[1]["file"], one[1]["span"]["start"]["line"]), reverse=True)
    for number, mutant in order:
        path = ROOT / mutant["file"]
        lines = path.read_text().splitlines(keepends=True)
        start = mutant["span"]["start"]
        line = lines[start["line"] - 1]
        at = start["column"] - 1
        value = mutant["replacement"]
        value = "" if value == "()" else f" {value}"
        # The span begins with the body, or with its brace.
        brace = line[at : at + 1] == "{"
        at += int(brace)
        lines[start["line"] - 1] = f"{line[:at]} if crate::mutant() == {number} {{ return{value}; }} {line[at:]}"
        path.write_text("".join(lines))


def broken(mutants):
    """Compiles, and returns the mutants at which it fails, and those in files that are not compiled."""
    built = cargo(["check", "--message-format=json", "--all-features", *packages()], capture_output=True, text=True)
    places = set()
    for line in built.stdout.splitlines():
        message = json.loads(line).get("message") or {}
        if message.get("level") == "error":
            for span in message["spans"]:
                places.add((span["file_name"], span["line_start"]))
    if built.returncode and not places:
        sys.exit(built.stderr)
    compiled = "".join(path.read_text() for path in (target() / "debug/deps").glob("mcp_*.d"))
    left_out = lambda mutant: not built.returncode and mutant["file"] not in compiled
    return [one for one in mutants if (one[1]["file"], one[1]["span"]["start"]["line"]) in places or left_out(one[1])]


def prepare(count, seed):
    # More than are needed, because some do not compile.
    mutants = list(enumerate(draw(count * 2, seed), start=1))
    while True:
        instrument(mutants)
        faulty = broken(mutants)
        if not faulty:
            break
        mutants = [one for one in mutants if one not in faulty]
        print(f"{len(faulty)} do not compile or are left out, {len(mutants)} are left", flush=True)
    mutants = mutants[:count]
    instrument(mutants)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "nextest.toml").write_text(NEXTEST)
    CHOSEN.write_text(json.dumps(mutants, indent=1))
    cargo(["build", "--workspace", "--all-features", "--example", "everything", "--bin", "xtask"]).check_returncode()
    cargo(["nextest", "run", "--all-features", "--no-run", *packages()]).check_returncode()


def outcome(arguments, number, limit):
    try:
        done = cargo(arguments, number, limit, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return "hangs", ""
    text = done.stdout + done.stderr
    names = re.findall(r"(?:FAIL|SIG\w+|TIMEOUT) \[.*?\] (?:\(.*?\) )?(\S+ \S+)", text)
    # The table of a run of the suite: scenario, checks that passed, failed, warned and were skipped.
    rows = re.findall(r"^(\S+) +(\d+) +(\d+) +\d+ +\d+$", text, re.MULTILINE)
    names += [name for name, passed, failed in rows if int(failed) or not int(passed)]
    return ("passes" if done.returncode == 0 else "fails"), names[0] if names else ""


def run(part, parts):
    done = set()
    if RESULTS.exists():
        done = {line.split("\t")[0] for line in RESULTS.read_text().splitlines()}
    for number, mutant in [(0, None), *json.loads(CHOSEN.read_text())]:
        if str(number) in done or (mutant is not None and number % parts != part):
            continue
        begun = time.monotonic()
        sides = ["server", "client"]
        if mutant is not None:
            sides = [side for side in sides if mutant["file"].startswith(f"mcp-{side}/")]
        suite = [outcome([*SUITE, side], number, SUITE_TIME) for side in sides]
        suite = next((side for side in suite if side[0] != "passes"), suite[0])
        tests = outcome([*TESTS, *packages()], number, TEST_TIME)
        place = "no fault\t\t" if mutant is None else f"{mutant['file']}:{mutant['span']['start']['line']}\t{mutant['function']['function_name']}\t{mutant['replacement']}"
        with RESULTS.open("a") as file:
            file.write("\t".join([str(number), place, *suite, *tests]) + "\n")
        print(number, place, suite, tests, f"{time.monotonic() - begun:.0f} s", flush=True)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
commands = parser.add_subparsers(dest="command", required=True)
preparing = commands.add_parser("prepare")
preparing.add_argument("--count", type=int, default=60)
preparing.add_argument("--seed", type=int, default=1)
running = commands.add_parser("run")
running.add_argument("--part", type=int, default=0, help="only faults whose number has this remainder")
running.add_argument("--parts", type=int, default=1, help="the divisor: the number of copies of the repository")
options = parser.parse_args()
if options.command == "prepare":
    prepare(options.count, options.seed)
else:
    run(options.part, options.parts)
