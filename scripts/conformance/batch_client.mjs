// OpenAI's own client for JavaScript against `podqueue batch serve`: a batch to its end, and a refusal.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const { OpenAI, toFile } = createRequire(`${process.env.NODE_TOOLS}/`)("openai");

const client = new OpenAI({ apiKey: process.env.BATCH_KEY, baseURL: process.env.BATCH_URL, maxRetries: 0 });
const chat = "/v1/chat/completions";
const request = (id) => JSON.stringify({
  custom_id: id, method: "POST", url: chat,
  body: { model: "poet", messages: [{ role: "user", content: id }] },
});

const content = Buffer.from(`${request("a")}\n${request("b")}\n`);
const file = await client.files.create({ file: await toFile(content, "requests.jsonl"), purpose: "batch" });
let batch = await client.batches.create({ input_file_id: file.id, endpoint: chat, completion_window: "24h" });
while (["validating", "in_progress", "finalizing"].includes(batch.status)) {
  await new Promise((wake) => setTimeout(wake, 100));
  batch = await client.batches.retrieve(batch.id);
}
assert.equal(batch.status, "completed");
assert.deepEqual({ ...batch.request_counts }, { total: 2, completed: 2, failed: 0 });
const output = await (await client.files.content(batch.output_file_id)).text();
const lines = output.trimEnd().split("\n").map((line) => JSON.parse(line));
assert.deepEqual(lines.map((line) => [line.custom_id, line.response.status_code]), [["a", 200], ["b", 200]]);
const listed = [];
for await (const it of client.batches.list({ limit: 1 })) listed.push(it.id);
assert.ok(listed.includes(batch.id));
await assert.rejects(client.batches.cancel(batch.id), (error) => error.status === 409);
await assert.rejects(client.files.retrieve("file-0"), (error) => error.status === 404);
console.log("the same for JavaScript");
