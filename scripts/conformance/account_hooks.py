"""Schemathesis hooks for the account interface: the ids that exist, and logs that end."""

import re

import schemathesis
from hypothesis import strategies as st

# Fixtures, by the first segment of a path.
IDS = {
    "pods": ["pod-gpu", "pod-cpu", "pod-starting"],
    "serverless": ["echo", "count", "sleep", "fail"],
    "templates": ["template-own", "template-bound"],
    "network-volumes": ["volume-1"],
    "registries": ["registry-credential-1"],
    "catalog/gpus": ["gpu-24gb", "gpu-192gb"],
    "catalog/cpus": ["cpu-3c"],
    "catalog/datacenters": ["EU-1", "AP-1"],
}
ECR_IMAGE = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/team/worker:1"


def ids(path):
    """The ids that exist at a path."""
    kind = re.match(r"/v2/(catalog/[a-z]+|[a-z-]+)/\{id\}", path)
    return IDS.get(kind[1], []) if kind else []


@schemathesis.hook
def flatmap_path_parameters(context, path_parameters):
    """Draws existing ids as often as random ids, for operations that delete nothing."""
    known = ids(context.operation.path)
    made_up = st.just(path_parameters)
    if not known or context.operation.method == "delete":
        return made_up
    return made_up | st.sampled_from(known).map(lambda id: {**path_parameters, "id": id})


@schemathesis.hook
def before_call(context, case, kwargs):
    """Asks for logs that end: those of a stopped Pod, and of workers that are not there."""
    if case.operation.path == "/v2/pods/{id}/logs":
        case.path_parameters["id"] = "pod-cpu"
    if case.operation.path.endswith("/workers/{workerId}/logs"):
        case.path_parameters["workerId"] = "none"


@schemathesis.hook
def map_body(context, body):
    """Lets every other delegation be of an image that could be one."""
    resource = body.get("resource") if isinstance(body, dict) else None
    if isinstance(resource, str) and len(resource) % 2:
        return {**body, "resource": ECR_IMAGE}
    return body


@schemathesis.check
def an_error_is_a_problem(ctx, response, case):
    """Every error has a title, a detail and its own status; only a 422 lists faults."""
    if response.status_code < 400:
        return
    problem = response.json()
    assert problem["status"] == response.status_code, problem
    assert problem["title"] and problem["detail"], problem
    assert (response.status_code == 422) == ("errors" in problem), problem


@schemathesis.check
def a_success_announces_no_limits(ctx, response, case):
    """The service has no rate limits unless it is told to."""
    assert "ratelimit" not in {name.lower() for name in response.headers}
