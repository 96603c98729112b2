"""The official Python SDK as the client of `podqueue mcp`, over standard input and output and over HTTP.

The SDK validates the result of each call against the output schema that the tool publishes.
"""
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

PROGRAM = os.environ["PODQUEUE"]
TOOLS = {"run", "wait", "status", "stream", "cancel", "health", "doctor", "endpoints", "workers", "logs",
         "local_start", "batch_run", "batch_status", "batch_unknown", "batch_retry", "batch_cancel"}


def arguments(folder):
    return ["mcp", "--allow", "local", "--files", str(folder), "--state", str(folder / "state")]


@contextlib.asynccontextmanager
async def over_stdio(folder):
    server = StdioServerParameters(command=PROGRAM, args=arguments(folder))
    async with Client(server) as client:
        yield client


@contextlib.asynccontextmanager
async def over_http(folder):
    server = subprocess.Popen([PROGRAM, *arguments(folder), "--http"], stderr=subprocess.PIPE, text=True)
    try:
        url = server.stderr.readline().split()[-1]
        token = server.stderr.readline().split()[-1]
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
            async with Client(streamable_http_client(url, http_client=http)) as client:
                yield client
    finally:
        server.terminate()
        server.wait()


async def call(client, tool, arguments, fails=False):
    result = await client.call_tool(tool, arguments)
    assert bool(result.is_error) == fails, result
    # The same as text, for clients that do not read structured content.
    content = json.loads(result.content[0].text)
    assert result.structured_content == (None if fails else content), result
    assert len(result.model_dump_json(by_alias=True, exclude_none=True)) <= 8_000
    return content


async def check(connect):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "inputs.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in range(4)))
        async with connect(folder) as client:
            tools = (await client.list_tools()).tools
            assert {tool.name for tool in tools} == TOOLS, tools
            assert all(tool.output_schema and tool.description for tool in tools)

            run = {"endpoint": "echo", "input": {"a": 1}, "service": "local"}
            error = await call(client, "run", run, fails=True)
            assert error["next"]["tool"] == "local_start", error
            await call(client, "local_start", {})
            job = await call(client, "run", run)
            assert job["output"] == {"a": 1} and "repeated" not in job, job
            again = await call(client, "run", run)
            assert again["repeated"] and again["job_id"] == job["job_id"], again

            slow = {"endpoint": "sleep", "input": {"ms": 300}, "wait_s": 0, "service": "local"}
            job = await call(client, "run", slow)
            assert job["outcome"] == "open" and job["next"]["tool"] == "wait", job
            job = await call(client, "wait", job["next"]["arguments"])
            assert job["status"] == "COMPLETED", job
            failed = await call(client, "run", {**run, "endpoint": "fail", "input": {"message": "no"}})
            assert "no" in failed["error"]["message"], failed
            counted = await call(client, "run", {**run, "endpoint": "count", "input": {"n": 3}})
            named = {"endpoint": "count", "job_id": counted["job_id"], "service": "local"}
            assert (await call(client, "stream", named))["chunks"][0] == {"n": 0}
            await call(client, "status", named)
            endpoint = {"endpoint": "echo", "service": "local"}
            await call(client, "health", endpoint)
            await call(client, "doctor", endpoint)
            await call(client, "workers", endpoint)
            await call(client, "endpoints", {"service": "local"})

            batch = {"endpoint": "echo", "inputs": "inputs.jsonl", "out": "out.jsonl", "service": "local"}
            begun = await call(client, "batch_run", batch)
            named = {"batch": begun["batch"]}
            ended = await call(client, "batch_status", {**named, "wait_s": 25})
            assert ended["counts"] == {"completed": 4, "total": 4} and ended["finished"], ended
            assert (await call(client, "batch_run", batch))["repeated"]
            assert (await call(client, "batch_unknown", named))["unknown"] == []
            assert (await call(client, "batch_retry", named))["retried"] == 0
            await call(client, "batch_cancel", named)
            resources = (await client.list_resources()).resources
            assert [str(it.uri).rsplit("/", 1)[1] for it in resources] == ["summary", "failures"], resources
            summary = (await client.read_resource(resources[0].uri)).contents[0]
            assert json.loads(summary.text)["counts"] == ended["counts"], summary


for connect in (over_stdio, over_http):
    asyncio.run(check(connect))
    print(f"{connect.__name__}: every tool answers within its schema", file=sys.stdout)
