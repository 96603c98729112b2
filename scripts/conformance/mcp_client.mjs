// The official TypeScript SDK as the client of `podqueue mcp`, over standard input and output and over
// HTTP. The SDK validates the result of each call against the output schema that the tool publishes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const require = createRequire(`${process.env.NODE_TOOLS}/`);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

const program = process.env.PODQUEUE;
const options = (folder) => ["mcp", "--allow", "local", "--files", folder, "--state", join(folder, "state")];

const transports = {
  stdio: async (folder) => [new StdioClientTransport({ command: program, args: options(folder) }), () => {}],
  http: async (folder) => {
    const server = spawn(program, [...options(folder), "--http"], { stdio: ["ignore", "ignore", "pipe"] });
    const lines = createInterface(server.stderr)[Symbol.asyncIterator]();
    const word = async () => (await lines.next()).value.split(" ").at(-1);
    const url = new URL(await word());
    const headers = { Authorization: `Bearer ${await word()}` };
    return [new StreamableHTTPClientTransport(url, { requestInit: { headers } }), () => server.kill()];
  },
};

for (const [name, connect] of Object.entries(transports)) {
  const folder = mkdtempSync(join(tmpdir(), "podqueue-mcp-"));
  writeFileSync(join(folder, "inputs.jsonl"), '{"n": 1}\n{"n": 2}\n');
  const [transport, stop] = await connect(folder);
  const client = new Client({ name: "conformance", version: "1" });
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.equal(tools.length, 16);
    const call = async (tool, args, fails = false) => {
      const result = await client.callTool({ name: tool, arguments: args });
      assert.equal(result.isError ?? false, fails, JSON.stringify(result));
      return JSON.parse(result.content[0].text);
    };
    const run = { endpoint: "echo", input: { a: 1 }, service: "local" };
    assert.equal((await call("run", run, true)).next.tool, "local_start");
    await call("local_start", {});
    const first = await call("run", run);
    assert.deepEqual([first.output, first.repeated], [{ a: 1 }, undefined]);
    const again = await call("run", run);
    assert.deepEqual([again.job_id, again.repeated], [first.job_id, true]);
    const slow = await call("run", { ...run, endpoint: "sleep", input: { ms: 300 }, wait_s: 0 });
    assert.equal(slow.next.tool, "wait");
    assert.equal((await call("wait", slow.next.arguments)).status, "COMPLETED");

    const batch = { endpoint: "echo", inputs: "inputs.jsonl", out: "out.jsonl", service: "local" };
    const begun = await call("batch_run", batch);
    const ended = await call("batch_status", { batch: begun.batch, wait_s: 25 });
    assert.deepEqual(ended.counts, { completed: 2, total: 2 });
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: resources[0].uri });
    assert.deepEqual(JSON.parse(contents[0].text).counts, ended.counts);
  } finally {
    await client.close();
    stop();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${name}: the same for TypeScript`);
}
