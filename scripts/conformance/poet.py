"""A worker that serves OpenAI's interface, as text-generation workers do."""
import asyncio, json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../crates/local/examples"))
import worker

WORDS = ["one ", "two ", "three"]


async def poet(job):
    route, body = job["input"]["openai_route"], job["input"]["openai_input"] or {}
    head = {"id": job["id"], "created": 0, "model": "poet"}
    if route == "/v1/models":
        yield {"object": "list", "data": [{"id": "poet", "object": "model", "created": 0, "owned_by": "us"}]}
    elif body.get("model") != "poet":
        raise ValueError("no such model")
    elif body.get("stream"):
        for word in [*WORDS, None]:
            delta = {"content": word} if word else {}
            choice = {"index": 0, "delta": delta, "finish_reason": None if word else "stop"}
            chunk = {**head, "object": "chat.completion.chunk", "choices": [choice]}
            # As the workers do that render the events themselves.
            yield f"data: {json.dumps(chunk)}\n\n"
        yield "data: [DONE]\n\n"
    else:
        message = {"role": "assistant", "content": "".join(WORDS)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        yield {**head, "object": "chat.completion", "choices": [choice]}


asyncio.run(worker.serve(poet))
