"""OpenAI's own client against the OpenAI-compatible paths: models, chat, streamed chat, an error."""
import os

import openai

client = openai.OpenAI(
    api_key=os.environ["PODQUEUE_API_KEY"],
    base_url=f"{os.environ['PODQUEUE_BASE_URL']}/v2/poet/openai/v1",
    max_retries=0,
)
messages = [{"role": "user", "content": "count"}]

assert [model.id for model in client.models.list()] == ["poet"]

chat = client.chat.completions.create(model="poet", messages=messages)
assert chat.choices[0].message.content == "one two three", chat

chunks = list(client.chat.completions.create(model="poet", messages=messages, stream=True))
words = [chunk.choices[0].delta.content for chunk in chunks]
assert words == ["one ", "two ", "three", None], words
assert chunks[-1].choices[0].finish_reason == "stop"

for stream in (False, True):
    try:
        client.chat.completions.create(model="other", messages=messages, stream=stream)
        raise SystemExit("a call that failed has succeeded")
    except openai.InternalServerError as error:
        assert "no such model" in str(error), error
print("models, chat, streamed chat and an error are as they should be")
