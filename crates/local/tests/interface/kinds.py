"""The same worker in two kinds: `lines` speaks JSON lines, `attach` takes jobs over HTTP."""
import asyncio, json, os, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../examples"))


class Both(Exception):
    """A failure with an output."""


async def handle(job):
    action = job["input"]
    for chunk in action.get("emit", []):
        yield chunk
    if "progress" in action:
        await report(job, {"progress": action["progress"]})
    if "both" in action:
        raise Both(action["both"])
    if "die" in action and not os.path.exists(action["die"]):
        open(action["die"], "w").close()
        os.kill(os.getpid(), 9)
    if "error" in action:
        raise ValueError(action["error"])
    if "hang" in action:
        await asyncio.sleep(1_000_000)


async def lines():
    for line in sys.stdin:
        chunks = []
        try:
            async for chunk in handle(json.loads(line)):
                chunks.append(chunk)
                print(json.dumps({"stream": chunk}), flush=True)
            print(json.dumps({"output": chunks}), flush=True)
        except Both as both:
            print(json.dumps({"output": both.args[0], "error": "in the middle"}), flush=True)
        except ValueError as error:
            print(json.dumps({"error": str(error)}), flush=True)


if sys.argv[1] == "lines":
    async def report(job, line):
        print(json.dumps(line), flush=True)

    asyncio.run(lines())
else:
    import worker

    async def done(job, body):
        await worker.call(worker.url("WEBHOOK_POST_OUTPUT", job["id"], isStream="false"), body)

    async def report(job, line):
        await done(job, {"status": "IN_PROGRESS", "output": line["progress"]})

    async def attached(job):
        try:
            async for chunk in handle(job):
                yield chunk
        except Both as both:
            # What the worker reports after that is late.
            await done(job, {"output": both.args[0], "error": "in the middle"})

    asyncio.run(worker.serve(attached))
