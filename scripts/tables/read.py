"""Reads tables of results with pyarrow and DuckDB: see scripts/tables.sh."""

import json
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 200
folder = Path(sys.argv[1])
parquet = str(folder / "answers.parquet")


def expect(found, expected):
    if found != expected:
        sys.exit(f"expected {expected!r}, and found {found!r}")


def outputs():
    for n in range(ROWS):
        yield {
            "big": 2**60 + n,
            "even": n % 2 == 0,
            "half": n + 0.5,
            "mixed": [None, '"1"', "1"][n % 3],
            "n": n,
            "name": f'a\n"{n}", é',
            "of": {"list": f'[{n},"x"]', "text": f"t{n}"} if n % 3 == 0 else None,
        }


def one(query):
    return duckdb.execute(query).fetchone()


table = pq.read_table(parquet)
expect(table.column("index").to_pylist(), list(range(ROWS)))
expect(set(table.column("status").to_pylist()), {"COMPLETED"})
types = {field.name: str(field.type) for field in table.schema.field("output").type}
for name, expected in {"big": "int64", "even": "bool", "half": "double", "name": "string"}.items():
    expect(types[name], expected)


def plain(value):
    """Values without what differs between versions of pyarrow: JSON may be a type of its own."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    return value


expect([plain(output) for output in table.column("output").to_pylist()], list(outputs()))

found = one(
    f"""select count(*), sum(output.n), max(output.big), count(output.of.text),
               min(output.of.list->>1), count(*) filter (output.mixed::varchar = '"1"')
        from '{parquet}'"""
)
expect(found, (ROWS, sum(range(ROWS)), 2**60 + ROWS - 1, 67, "x", 67))

found = one(
    f"""select count(*), sum("output.n"), max("output.big"), count("output.of.text"), max("output.name")
        from read_csv('{folder / "answers.csv.gz"}')"""
)
expect(found, (ROWS, sum(range(ROWS)), 2**60 + ROWS - 1, 67, 'a\n"99", é'))

for name in ["answers.jsonl.gz", "answers.jsonl.zst"]:
    found = one(
        f"select count(*), max(output.big) from read_json('{folder / name}', format = 'newline_delimited')"
    )
    expect(found, (ROWS, 2**60 + ROWS - 1))

print(f"pyarrow {pa.__version__} and DuckDB {duckdb.__version__} read {ROWS} results in each format")
