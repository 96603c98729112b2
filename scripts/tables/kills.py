"""Kills of the program while it converts inputs and results, and its memory: see scripts/tables.sh."""

import csv
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

program, rows, kills, seed = Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
few = 10_000
some_pending = 3
random = random.Random(seed)
folder = Path(tempfile.mkdtemp())
environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}


def run(*arguments):
    return subprocess.run(
        [program, "--quiet", *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


def killed_after(seconds, *arguments):
    """Whether the program was killed, and not faster."""
    process = subprocess.Popen(
        [program, "--quiet", *arguments], cwd=folder, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True


def peak(*arguments):
    """The peak memory of a run of the program, in MB."""
    code = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024); sys.exit(done.returncode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, program, "--quiet", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True,
    )
    if done.returncode:
        sys.exit(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return int(done.stdout)


def write(name, count):
    with open(folder / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "n", "text"])
        writer.writerows([f"a{n}", n, f'line {n}\n"{n % 97}", {"x" * 40}'] for n in range(count))
    table = pa.csv.read_csv(
        folder / f"{name}.csv", parse_options=pa.csv.ParseOptions(newlines_in_values=True)
    )
    pq.write_table(table, folder / f"{name}.parquet", row_group_size=100_000)


def expected_copy(count):
    digest = hashlib.sha256()
    for n in range(count):
        row = {"id": f"a{n}", "n": n, "text": f'line {n}\n"{n % 97}", {"x" * 40}'}
        digest.update(json.dumps(row, separators=(",", ":")).encode() + b"\n")
    return digest.hexdigest()


def copies(results):
    inputs = folder / f"{results}.inputs"
    return sorted(inputs.glob("*.jsonl")) if inputs.exists() else []


def check_copies(results, expected):
    for copy in copies(results):
        if hashlib.sha256(copy.read_bytes()).hexdigest() != expected:
            sys.exit(f"{copy} is not whole (seed {seed})")


write("few", few)
write("many", rows)
for suffix in ["csv", "parquet"]:
    small = peak("batch", "run", f"few.{suffix}", "--dry-run")
    large = peak("batch", "run", f"many.{suffix}", "--dry-run")
    print(f"{suffix}: {small} MB for {few} rows, {large} MB for {rows}")
    if large > small + 60:
        sys.exit("the memory grows with the rows")

service = subprocess.Popen(
    [program, "local", "--json"], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
)
try:
    local = json.loads(service.stdout.readline())
    environment["PODQUEUE_API_KEY"] = local["api_key"]
    environment["PODQUEUE_BASE_URL"] = local["base_url"]
    # Types that no result has.
    foreign = pa.table({
        "list": pa.array([[1, None], []]),
        "structs": pa.array([[{"a": 1, "b": None}], None]),
        "map": pa.array([[("k", 1.5)], []], pa.map_(pa.string(), pa.float64())),
        "struct": pa.array([{"x": {"y": "z"}}, {"x": None}]),
        "time": pa.array([0, 1], pa.timestamp("ns", "UTC")),
        "half": pa.array([1.5, None], pa.float16()),
        "category": pa.array(["c", "d"]).dictionary_encode(),
    })
    pq.write_table(foreign, folder / "foreign.parquet", compression="gzip")
    ended = run("batch", "run", "foreign.parquet", "-e", "echo", "-o", "foreign.jsonl")
    lines = (folder / "foreign.jsonl").read_text().splitlines() if not ended.returncode else []
    found = [line["output"] for line in sorted(map(json.loads, lines), key=lambda line: line["index"])]
    if found != [
        {
            "list": [1, None], "structs": [{"a": 1}], "map": {"k": 1.5}, "struct": {"x": {"y": "z"}},
            "time": "1970-01-01T00:00:00.000000000+00:00", "half": 1.5, "category": "c",
        },
        {"list": [], "map": {}, "struct": {}, "time": "1970-01-01T00:00:00.000000001+00:00", "category": "d"},
    ]:
        sys.exit(f"the rows of another program are {found}: {ended.stderr}")

    expected = expected_copy(rows)
    done = 0
    for suffix in ["csv", "parquet"]:
        command = ["batch", "run", f"many.{suffix}", "-e", "echo", "-o", f"{suffix}.jsonl", "--take", "1"]
        begin = time.monotonic()
        if run(*command[:-3], f"whole-{suffix}.jsonl", "--take", "1").returncode != some_pending:
            sys.exit("the inputs were not converted")
        duration = time.monotonic() - begin
        for _ in range(kills):
            # A batch whose copy is whole converts nothing any more.
            if copies(f"{suffix}.jsonl"):
                for file in folder.glob(f"{suffix}.jsonl*"):
                    shutil.rmtree(file) if file.is_dir() else file.unlink()
            done += killed_after(random.uniform(0, duration), *command)
            check_copies(f"{suffix}.jsonl", expected)
        ended = run(*command)
        check_copies(f"{suffix}.jsonl", expected)
        if ended.returncode != some_pending or len(copies(f"{suffix}.jsonl")) != 1:
            sys.exit(f"the batch did not continue: {ended.stderr} (seed {seed})")
    print(f"killed {done} times while inputs were converted: no copy was torn")

    # Results to convert, of some size.
    results = 2_000
    command = ["batch", "run", "results.csv", "-e", "echo", "-o", "answers.parquet", "--no-rate-limits"]
    with open(folder / "results.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["n", "text"])
        writer.writerows([n, random.randbytes(1_000).hex()] for n in range(results))
    ended = run(*command)
    if ended.returncode:
        sys.exit(f"the batch failed: {ended.stderr}")
    begin = time.monotonic()
    run(*command)
    duration = time.monotonic() - begin
    done = 0
    for kill in range(kills):
        if kill % 2:
            (folder / "answers.parquet").unlink(missing_ok=True)
        done += killed_after(random.uniform(0, duration), *command)
        if (folder / "answers.parquet").exists():
            found = pq.read_table(folder / "answers.parquet").column("index").to_pylist()
            if found != list(range(results)):
                sys.exit(f"the table is not whole (seed {seed})")
    ended = run(*command)
    if ended.returncode or pq.read_table(folder / "answers.parquet").num_rows != results:
        sys.exit(f"the table was not written: {ended.stderr} (seed {seed})")
    if (folder / "answers.parquet.part").exists():
        sys.exit("a part is left")
    print(f"killed {done} times while results were converted: no table was torn")
finally:
    service.kill()
