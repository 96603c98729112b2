"""The same worker in two kinds: `lines` speaks JSON lines, `attach` takes jobs over HTTP."""
import asyncio, json, os, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../examples"))


async def handle(job):
    action = job["input"]
    for chunk in action.get("emit", []):
        yield chunk
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
        except ValueError as error:
            print(json.dumps({"error": str(error)}), flush=True)


if sys.argv[1] == "lines":
    asyncio.run(lines())
else:
    import worker
    asyncio.run(worker.serve(handle))
