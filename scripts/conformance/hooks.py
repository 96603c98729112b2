"""Schemathesis hooks: the ids that exist, the calls to leave out, and the relations between the
responses to the requests about a job."""

import json
import os
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import jsonschema
import schemathesis
from hypothesis import strategies as st

NOBODY = "http://127.0.0.1:9/"
LONGEST_WEBHOOK = 8192
WEB_ADDRESS = re.compile("https?://[A-Za-z0-9]")
KEY = {"authorization": os.environ["PODQUEUE_API_KEY"]}

# Fixtures.
ENDPOINTS = ["echo", "count", "fail", "sleep"]
WORKERS = ["attached"]
PODS = ["pod-gpu", "pod-cpu", "pod-starting", "pod-worker"]
TEMPLATES = [f"template-{kind}" for kind in ("own", "public", "vendor", "bound")]


def call(method, url, body=None):
    """The status and the JSON of an answer; none where there is no body."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers=KEY)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read() or "null")
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def jobs():
    """Jobs of every kind: some end, some run, some wait, some are cancelled."""
    made = []
    for endpoint, payload, number in [
        ("echo", {}, 3),
        ("count", {"n": 2}, 3),
        ("fail", {}, 6),
        ("sleep", {"ms": 3_600_000}, 12),
    ]:
        url = f"{os.environ['PODQUEUE_BASE_URL']}/v2/{endpoint}"
        ids = [call("POST", f"{url}/run", {"input": payload})[1]["id"] for _ in range(number)]
        call("POST", f"{url}/cancel/{ids[0]}")
        made += [{"endpointId": endpoint, "jobId": id} for id in ids]
    return made


def jobs_for_workers():
    """Jobs that workers find when they ask, some of which one has already."""
    url = f"{os.environ['PODQUEUE_BASE_URL']}/v2/{WORKERS[0]}"
    for number in range(2000):
        call("POST", f"{url}/run", {"input": {"n": number}})
    taken = call("GET", f"{url}/job-take-batch/w?batch_size=100")[1]
    return [{"endpointId": WORKERS[0], "workerId": "w", "jobId": job["id"]} for job in taken]


def advance_the_clock():
    """Workers wait for seconds if there is nothing to do, unless the clock is advanced."""
    url = f"{os.environ['PODQUEUE_BASE_URL']}/_local/clock/advance"
    while True:
        time.sleep(0.02)
        try:
            call("POST", url, {"ms": 1})
        except OSError:
            return


JOBS = jobs()
TAKEN = jobs_for_workers()
threading.Thread(target=advance_the_clock, daemon=True).start()


def endpoints(path):
    """The endpoints to which a request is sent: none whose jobs it would wait for, and for a call
    that hands on the failure of its job none that fails."""
    if "/openai/" in path:
        return ["echo"]
    waits = path.endswith("/runsync") or "/status-sync/" in path
    return ["echo", "count", "fail"] if waits else ENDPOINTS


def conforms(operation, path_parameters):
    """True if each parameter conforms to the description."""
    return all(
        jsonschema.Draft202012Validator(parameter.definition["schema"]).is_valid(path_parameters.get(parameter.name))
        for parameter in operation.path_parameters
    )


@schemathesis.hook
def flatmap_path_parameters(context, path_parameters):
    """Draws existing ids as often as random ids, in every combination. Values from a link of
    an earlier response do not pass through this hook."""
    names = set(path_parameters)
    made_up = st.just(path_parameters)
    if not conforms(context.operation, path_parameters):
        # It was made up to be refused. With ids that are there, it would not be.
        return made_up
    if "podId" in names:
        return made_up | st.sampled_from(PODS).map(lambda id: {"podId": id})
    if "templateId" in names:
        return made_up | st.sampled_from(TEMPLATES).map(lambda id: {"templateId": id})
    if "endpointId" not in names:
        return made_up
    if "workerId" in names:
        here = st.sampled_from(WORKERS + ENDPOINTS[:1]).map(lambda id: {**path_parameters, "endpointId": id})
        return made_up | here | st.sampled_from(TAKEN).map(lambda job: {name: job[name] for name in names})
    endpoint = st.sampled_from(endpoints(context.operation.path)).map(lambda id: {**path_parameters, "endpointId": id})
    if "jobId" in names:
        here = endpoints(context.operation.path)
        job = st.sampled_from([job for job in JOBS if job["endpointId"] in here])
        elsewhere = job.map(lambda job: {**job, "endpointId": path_parameters["endpointId"]})
        return made_up | endpoint | job | job | elsewhere
    return made_up | endpoint | endpoint


@schemathesis.hook
def before_call(context, case, kwargs):
    """Holds to the endpoints above also where an id was taken from an answer."""
    path = case.path_parameters or {}
    allowed = endpoints(case.operation.path)
    if path.get("endpointId") in set(ENDPOINTS) - set(allowed):
        path["endpointId"] = allowed[0]


@schemathesis.hook
def map_body(context, body):
    """Keeps the service from calling addresses that were made up. One that it must refuse stays."""
    if isinstance(body, dict) and isinstance(body.get("webhook"), str):
        webhook = body["webhook"]
        if WEB_ADDRESS.match(webhook) and len(webhook) <= LONGEST_WEBHOOK:
            return {**body, "webhook": NOBODY}
    return body


@schemathesis.check
def only_what_is_there_is_found(ctx, response, case):
    """Made up endpoints, Pods and templates are never found, those that are there always."""
    path = case.path_parameters or {}
    status = response.status_code
    if status in (401, 405):
        return
    if "podId" in path or "templateId" in path:
        id = path.get("podId", path.get("templateId"))
        assert status != 200 or id in PODS + TEMPLATES, f"{id!r} is not there, and found"
        # The others need a parameter to be seen.
        assert status != 404 or id not in PODS[:3] + TEMPLATES[:1], f"{id!r} is not found"
        return
    endpoint = path.get("endpointId")
    if "workerId" in path:
        # An id may have no form that a path could carry.
        is_there = endpoint in WORKERS
        assert is_there or status == 404, f"no worker attaches to {endpoint!r}, and the answer is {status}"
        return
    if endpoint in WORKERS + ["poet"]:
        return
    if endpoint not in ENDPOINTS:
        assert status == 404, f"there is no endpoint {endpoint!r}, and the answer is {status}"
    elif "jobId" not in path:
        assert status != 404, f"{endpoint!r} is not found"


# In which states a job may be after an answer to what was asked of it.
ENDED = {"COMPLETED", "FAILED", "TIMED_OUT"}
STATES_AFTER = {
    ("cancel", 200): {"CANCELLED"},
    ("cancel", 400): ENDED,
    ("retry", 200): {"IN_QUEUE", "IN_PROGRESS"} | ENDED,
    ("retry", 400): {"IN_QUEUE", "IN_PROGRESS", "COMPLETED", "CANCELLED"},
}


@schemathesis.check
def the_state_of_a_job_explains_its_answers(ctx, response, case):
    """A job that was cancelled is CANCELLED; what is refused is refused for the state that the job
    is in; what is not found is not found by /status either."""
    operation = case.operation.path.removeprefix("/v2/{endpointId}/").removesuffix("/{jobId}")
    asked = (operation, response.status_code)
    if operation not in ("cancel", "retry") or response.status_code in (401, 405):
        return
    url = response.request.url
    status, record = call("GET", url.replace(f"/{operation}/", "/status/", 1))
    if response.status_code == 404:
        assert status == 404, f"{operation} does not find a job that /status finds: {record}"
        return
    assert asked in STATES_AFTER, f"{operation} answered {response.status_code}"
    assert status == 200, f"{operation} answered {response.status_code}, and /status {status}"
    state = record["status"]
    allowed = STATES_AFTER[asked]
    if asked == ("retry", 400):
        # A job that was not to be retried as it ran may have failed since.
        named = response.json()["error"].rsplit(" ", 1)[-1]
        assert named in allowed, f"a job that is {named} can be retried, and was refused"
        if named in ("IN_QUEUE", "IN_PROGRESS"):
            allowed = allowed | ENDED
    assert state in allowed, f"{operation} answered {response.status_code} for a job in {state}"
