#!/usr/bin/env python3
"""What the commands print as JSON, held against docs/schema.json.

    tests/schema.py [PROGRAM]

Every object must be what the schema says, and every property of the schema must be seen with a value that is not null, so
that neither has anything that the other does not know. Needs python3-jsonschema, and exits 77 without it.
"""

import hashlib
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is missing", file=sys.stderr)
    sys.exit(77)

PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/queens").resolve()
SCHEMA = json.loads((pathlib.Path(__file__).parent.parent / "docs/schema.json").read_text())
DEFINITIONS = SCHEMA["$defs"]

# In the order in which they are run: some read what others have written. The exit code is 0 unless it is named.
LINES = [
    "count 8 --json",
    "count 12 --json --double-check 100%",
    "count 9 --prefix 1 --json",
    "count 9 --queen 4,2 --json",
    "count 9 --unique --json",
    "count 9 --symmetry half --json",
    "count 8-9 --json --double-check 100%",
    "count 9 --shard 1/2 --out s1 --json",
    "count 9 --shard 2/2 --out s2 --json --double-check 100%",
    "count 9 --symmetry half --checkpoint turn --json",
    "count 9 --prefix 1 --checkpoint prefix --json",
    "count 9 --queen 4,2 --queen 7,7 --checkpoint queens --json",
    "count 30 --engine naive --checkpoint thirty --resume --json",
    ("count 20 --engine naive --no-save --progress json --max-time 6s", 1),
    "count 9 --checkpoint c --json --progress json",
    "count 9 --checkpoint c --resume --json --progress json",
    ("count 9 --checkpoint c --progress json", 1),
    ("count 18 --engine backtrack --checkpoint begun --max-time 2s --progress json", 75),
    ("count 18 --engine backtrack --checkpoint begun --resume --max-time 3s --progress json --double-check 1%", 75),
    "profile 8 --json",
    "profile 2-3 --json",
    ("merge s1 begun --json", 1),
    ("merge s1 cut --json", 4),
    "merge s1 s2 --json",
    "merge turn --json",
    "merge prefix --json",
    "merge queens --json",
    "merge thirty --json",
    "status . --json",
    "status s1 --json",
    "audit s1 s2 --json",
    "audit turn --json",
    "audit prefix --json",
    "audit queens --json",
    "audit begun --json --units 1 --tasks 0",
    "verify 0-6 --json",
    ("verify 5 --bfile b --json", 3),
    "verify --symmetry half 0-6 --json",
    "verify 0-6 --progress json",
    "estimate 9 --samples 20 --json",
    "estimate 8-9 --samples 20 --json",
    "estimate 38 --symmetry half --max-time 1ms --json",
    "estimate 16 --symmetry half --samples 20 --json",
    "estimate 23 --samples 20 --max-time 2s --json",
    "bench 17 --engine join --runs 1 --threads 1 --json=b.json",
    "bench 17 --engine join --runs 2 --threads 1 --compare b.json --tolerance 900% --json",
    "show 158 --json",
    "show --number 31 8 --json",
    "symmetries 15863724 --json",
    "solutions 6 --format jsonl",
    "solutions 6 --fundamental --format jsonl",
    "count 9 --shard 2/2 --out cut --progress json",
]
# Null in all of these lines, and why.
NEVER_SEEN = {
    ("result", "error"): "no engine fails",
    ("counted", "left"): "no shard has run long enough for an interval",
    ("audit", "modulo"): "a unit of an unpublished board takes hours",
    ("profile", "modulo"): "a profile beyond the published counts takes years",
    ("estimate", "prefix"): "an estimate is of a whole board",
    ("estimate", "queens"): "an estimate is of a whole board",
}
# Stopped by SIGINT as soon as they have begun.
STOPPED = ["verify 17 --engine naive --engine join --json", "count 8-18 --engine naive --json"]


def run(folder, line):
    line, code = line if isinstance(line, tuple) else (line, 0)
    done = subprocess.run([PROGRAM, *line.split()], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, f"{line}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout.splitlines() + done.stderr.splitlines()


def thirty(folder):
    """A checkpoint of N = 30, of which only a remainder is known, with 8 solutions in each unit."""
    run(folder, ("count 30 --engine naive --checkpoint thirty --max-time 1ms", 75))
    file = folder / "thirty"
    head = [line for line in file.read_text().splitlines()[:-1] if not line.startswith(("unit ", "part "))]
    units = next(int(line.split()[1]) for line in head if line.startswith("units "))
    text = "\n".join(head + [f"unit {unit} 8" for unit in range(units)]) + "\n"
    file.write_text(f"{text}sha256 {hashlib.sha256(text.encode()).hexdigest()}\n")


def stop(folder, line, seconds=2):
    child = subprocess.Popen([PROGRAM, *line.split()], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(seconds)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate()
    # On a slow machine nothing may be known by then.
    if not out and seconds < 60:
        return stop(folder, line, 2 * seconds)
    assert child.returncode == -signal.SIGINT and out, f"{line}: {child.returncode}\n{out}{err}"
    return out.splitlines()


def definition(found):
    """The name of the definition that describes an object."""
    if "event" in found:
        return "event"
    for name in ("terms", "estimates"):
        if name in found:
            return name
    return found.get("command", "solution")


def see(value, schema, seen):
    """Adds the properties that have a value, as (definition, property)."""
    if value is None:
        return
    for choice in schema.get("anyOf", []):
        see(value, choice, seen)
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        for key, inner in DEFINITIONS[name]["properties"].items():
            if isinstance(value, dict) and value.get(key) is not None:
                seen.add((name, key))
                see(value[key], inner, seen)
    for inner in value if isinstance(value, list) else []:
        see(inner, schema.get("items", {}), seen)


def main():
    seen, events, faults = set(), set(), []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "b").write_text("5 11\n")
        (folder / "cut").write_text("queens ledger 1\n")
        thirty(folder)
        for line in LINES + STOPPED:
            for text in stop(folder, line) if line in STOPPED else run(folder, line):
                if not text.startswith("{"):
                    continue
                found = json.loads(text)
                schema = {"$ref": f"#/$defs/{definition(found)}", "$defs": DEFINITIONS}
                for error in jsonschema.Draft202012Validator(schema).iter_errors(found):
                    faults.append(f"{line}: {error.json_path}: {error.message}")
                see(found, schema, seen)
                events.add(found.get("event"))
    for name, what in DEFINITIONS.items():
        unseen = {(name, key) for key in what["properties"]} - seen - NEVER_SEEN.keys()
        faults += [f"{name}.{key} is never seen" for name, key in sorted(unseen)]
    faults += [f"no event is a {name}" for name in DEFINITIONS["event"]["properties"]["event"]["enum"] if name not in events]
    print("\n".join(faults) or f"{len(LINES) + len(STOPPED)} lines, {len(seen)} properties: as docs/schema.json says")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
