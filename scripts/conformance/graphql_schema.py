"""Compares the GraphQL schema of a running service with schema/schema.graphql, by an
independent implementation of GraphQL; and validates the documents of queries/ against both."""

import json
import os
import pathlib
import sys
import urllib.parse
import urllib.request

from graphql import (
    build_client_schema,
    build_schema,
    get_introspection_query,
    parse,
    print_schema,
    validate,
    validate_schema,
)
from graphql.utilities import find_breaking_changes, find_dangerous_changes

ROOT = pathlib.Path(__file__).resolve().parents[2]


def execute(body):
    key = urllib.parse.urlencode({"api_key": os.environ["PODQUEUE_API_KEY"]})
    request = urllib.request.Request(
        f"{os.environ['PODQUEUE_GRAPHQL_URL']}?{key}",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer = json.load(answer)
    if "errors" in answer:
        raise SystemExit(f"the service refused {body}: {answer['errors']}")
    return answer["data"]


def introspected():
    """The service's schema; asked for in each form of body that the service documents."""
    query = get_introspection_query(specified_by_url=True, input_value_deprecation=False)
    bodies = [
        {"query": query},
        {"query": query, "variables": {}, "operationName": "IntrospectionQuery"},
    ]
    alone, with_name = (execute(body) for body in bodies)
    if alone != with_name:
        raise SystemExit("the two forms of body are answered differently")
    return build_client_schema(alone)


def main():
    written = build_schema((ROOT / "schema" / "schema.graphql").read_text())
    served = introspected()
    complaints = [f"schema/: {error.message}" for error in validate_schema(written)]
    complaints += [f"service: {error.message}" for error in validate_schema(served)]
    # Implementations differ in the standard scalars and directives, which printing omits.
    ours = build_schema(print_schema(served))
    for what, old, new in [
        ("from written to served", written, ours),
        ("from served to written", ours, written),
    ]:
        for change in find_breaking_changes(old, new) + find_dangerous_changes(old, new):
            complaints.append(f"{what}: {change.description}")
    documents = sorted((ROOT / "queries").glob("*.graphql"))
    for document in documents:
        for schema in (written, served):
            for error in validate(schema, parse(document.read_text())):
                complaints.append(f"{document.name}: {error.message}")
    if not documents:
        complaints.append("there are no documents in queries/")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if not complaints:
        print(f"the schemas are the same, and {len(documents)} documents fit them")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
