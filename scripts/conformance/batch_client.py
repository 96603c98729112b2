"""OpenAI's own client against `podqueue batch serve`: files, batches, each end of a batch, errors."""
import json, os, time

import openai

CHAT = "/v1/chat/completions"
client = openai.OpenAI(api_key=os.environ["BATCH_KEY"], base_url=os.environ["BATCH_URL"], max_retries=0)


def line(id, model="poet"):
    body = {"model": model, "messages": [{"role": "user", "content": id}]}
    return json.dumps({"custom_id": id, "method": "POST", "url": CHAT, "body": body}) + "\n"


def submit(text, **options):
    file = client.files.create(file=("requests.jsonl", text.encode()), purpose="batch")
    assert client.files.retrieve(file.id).bytes == len(text.encode())
    return client.batches.create(input_file_id=file.id, endpoint=CHAT, completion_window="24h", **options)


def ended(batch):
    while batch.status in ["validating", "in_progress", "finalizing", "cancelling"]:
        counts = batch.request_counts
        assert counts.completed + counts.failed <= counts.total, batch
        time.sleep(0.1)
        batch = client.batches.retrieve(batch.id)
    return batch


def refused(kind, call):
    try:
        call()
    except kind as error:
        assert error.body["message"], error.body
        return error
    raise SystemExit(f"expected {kind.__name__}")


batch = ended(submit(line("a") + line("b"), metadata={"job": "nightly"}))
assert (batch.status, batch.metadata) == ("completed", {"job": "nightly"}), batch
assert (batch.request_counts.total, batch.request_counts.completed) == (2, 2), batch
lines = [json.loads(line) for line in client.files.content(batch.output_file_id).text.splitlines()]
assert [line["custom_id"] for line in lines] == ["a", "b"], lines
contents = [line["response"]["body"]["choices"][0]["message"]["content"] for line in lines]
assert contents == ["one two three"] * 2, lines
assert client.files.retrieve(batch.output_file_id).purpose == "batch_output"

invalid = ended(submit(line("a") + "{\n" + line("a") + line("c", model="other")))
assert invalid.status == "failed", invalid
found = [(error.line, error.code) for error in invalid.errors.data]
assert found == [(2, "invalid_json_line"), (3, "duplicate_custom_id"), (4, "model_not_found")], found

cancelled = submit("".join(line(str(n)) for n in range(500)))
cancelled = ended(client.batches.cancel(cancelled.id))
assert cancelled.status == "cancelled", cancelled
counts = cancelled.request_counts
assert counts.completed + counts.failed == counts.total == 500, cancelled

listed = [it.id for it in client.batches.list(limit=2)]
assert listed == [cancelled.id, invalid.id, batch.id], listed
assert batch.output_file_id in [file.id for file in client.files.list(purpose="batch_output")]
assert client.files.delete(batch.output_file_id).deleted

refused(openai.NotFoundError, lambda: client.files.content(batch.output_file_id))
refused(openai.NotFoundError, lambda: client.batches.retrieve("batch_0"))
refused(openai.ConflictError, lambda: client.batches.cancel(batch.id))
refused(openai.BadRequestError, lambda: client.batches.create(
    input_file_id="file-0", endpoint=CHAT, completion_window="24h"))
wrong = client.with_options(api_key="wrong")
error = refused(openai.AuthenticationError, wrong.batches.list)
assert error.code == "invalid_api_key", error.body
print("files, batches and errors of the Batch API are as they should be")
