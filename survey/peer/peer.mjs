// Mock server of an independent implementation, which checks every request against a description; and
// sample values for parameters and bodies, made from the same schemas.
//
//   node peer.mjs DESCRIPTION SAMPLES RECORDS
//
// Writes samples as JSON, prints its port, and appends a line to RECORDS for each exchange. A request
// to /7/pets is one for /pets about the operation 7; to /7.2/pets, it gets the operation's third
// example instead of what the mock service responds.

import { appendFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const { getHttpOperationsFromSpec } = load('@stoplight/prism-http');
const { createServer } = load('@stoplight/prism-http-server');
const { resetGenerator } = load('@stoplight/prism-http/dist/mocker/generator/JSONSchema.js');
const { stripReadOnlyProperties } = load('@stoplight/prism-http/dist/utils/filterRequiredProperties.js');
const { validateOutput } = load('@stoplight/prism-http/dist/validator/index.js');
const { validateBody } = load('@stoplight/prism-http/dist/validator/validators/index.js');
const { ValidationContext } = load('@stoplight/prism-http/dist/validator/validators/types.js');
// The one whose options are set by the mock service's generator.
const { JSONSchemaFaker } = createRequire(load.resolve('@stoplight/prism-http'))('json-schema-faker');

const [description, samplesFile, recordsFile] = process.argv.slice(2);
const operations = await getHttpOperationsFromSpec(description);

// The same samples each time.
let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;

function sample(schema, bundled) {
  resetGenerator();
  JSONSchemaFaker.option({ random, refDepthMax: 2, maxItems: 2, maxLength: 20 });
  const option = stripReadOnlyProperties(structuredClone(schema));
  const wanted = option._tag === 'Some' ? option.value : schema;
  const value = JSONSchemaFaker.generate({ ...wanted, __bundled__: structuredClone(bundled) });
  // A schema without constraints is returned unchanged.
  return typeof value === 'object' && value?.__bundled__ ? 'text' : value;
}

function given(item, bundled) {
  const example = (item.examples ?? []).find(it => it.value !== undefined);
  if (example) return { value: example.value };
  if (!item.schema) return {};
  try {
    return { value: sample(item.schema, bundled) };
  } catch (error) {
    return { error: String(error.message ?? error) };
  }
}

// No path has an empty parameter, and the mock service takes an empty one in a query for a missing one.
function notEmpty(parameters) {
  for (const it of Object.values(parameters)) if (it.value === '') it.value = 'x';
  return parameters;
}

// An example that is published for a body may contradict its schema, and so may those within the
// schema, of which samples are made, and samples themselves: an address without a dot is no email.
function givenBody(content, bundled) {
  const value = given(content, bundled);
  if (!content.schema || value.error || isValid(value.value, content, bundled)) return value;
  for (let attempt = 0; attempt < 8; attempt++) {
    const made = given({ schema: content.schema }, bundled);
    if (made.error || isValid(made.value, content, bundled)) return made;
  }
  return { error: 'what is made of the schema does not conform to it' };
}

function isValid(value, content, bundled) {
  // A form would have to be encoded first.
  if (!content.mediaType.includes('json')) return true;
  try {
    return validateBody(value, [content], ValidationContext.Input, content.mediaType, false, bundled)._tag !== 'Left';
  } catch {
    return true;
  }
}

// The violations of an example, by the checks of the mock service for its own responses.
function violations(operation, statusCode, media, body) {
  try {
    const element = { statusCode, headers: { 'content-type': media }, body };
    const checked = validateOutput({ resource: operation, element });
    const found = checked._tag === 'Left' ? checked.left : [];
    return found.map(it => ({ location: ['response'], message: `${it.path.join('.')} ${it.message}` }));
  } catch {
    return [];
  }
}

const samples = [];
for (const operation of operations) {
  const bundled = operation.__bundled__ ?? {};
  const request = operation.request ?? {};
  const list = items => Object.fromEntries((items ?? []).map(it => [it.name, given(it, bundled)]));
  const contents = request.body?.contents ?? [];
  const responses = (operation.responses ?? []).filter(it => it.code.startsWith('2'));
  samples.push({
    operation: `${operation.method.toUpperCase()} ${operation.path}`,
    path: notEmpty(list(request.path)),
    query: notEmpty(list(request.query)),
    header: list(request.headers),
    body: Object.fromEntries(contents.map(it => [it.mediaType, givenBody(it, bundled)])),
    examples: responses.flatMap(response => (response.contents ?? []).flatMap(content =>
      (content.examples ?? []).filter(it => it.value !== undefined).map(example => ({
        status: Number(response.code) || 200,
        media: content.mediaType,
        name: example.key,
        body: example.value,
        violations: violations(operation, Number(response.code) || 200, content.mediaType, example.value),
      })))),
  });
}
writeFileSync(samplesFile, JSON.stringify(samples));

const quiet = () => {};
const logger = { info: quiet, warn: quiet, error: quiet, debug: quiet, success: quiet, trace: quiet, fatal: quiet };
logger.child = () => logger;
const mock = createServer(operations, {
  cors: false,
  components: { logger },
  config: {
    isProxy: false,
    validateRequest: true,
    validateResponse: true,
    // How a call is authorized is a setting of the client, not of the call.
    checkSecurity: false,
    errors: false,
    mock: { dynamic: false },
  },
});
const mockUrl = await mock.listen(0, '127.0.0.1');

// Some requests crash the mock service, which must not affect other requests.
const open = new Set();
process.on('uncaughtException', error => {
  if (open.size === 0) throw error;
  for (const onward of open) onward.destroy(error);
});

const server = http.createServer(async (request, reply) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const [, index, example, url] = /^\/(\d+)(?:\.(\d+))?(.*)$/.exec(request.url) ?? [];
  const record = { index: Number(index), method: request.method, url, headers: request.headers, body: body.toString('latin1') };
  const finish = (status, headers, bytes) => {
    record.status = status;
    record.media = headers['content-type'] ?? '';
    record.response = bytes.toString('utf8');
    if (example !== undefined) record.example = Number(example);
    appendFileSync(recordsFile, `${JSON.stringify(record)}\n`);
    reply.writeHead(status, headers);
    reply.end(bytes);
  };
  if (example !== undefined) {
    const it = samples[Number(index)]?.examples[Number(example)];
    record.violations = JSON.stringify(it?.violations ?? []);
    const text = typeof it?.body === 'string' && !it.media.includes('json') ? it.body : JSON.stringify(it?.body);
    return finish(it?.status ?? 500, { 'content-type': it?.media ?? 'text/plain' }, Buffer.from(text ?? ''));
  }
  const onward = http.request(mockUrl + (url.startsWith('/') ? url : `/${url}`), {
    method: request.method,
    headers: { ...request.headers, host: 'localhost' },
  }, response => {
    const parts = [];
    response.on('data', part => parts.push(part));
    response.on('end', () => {
      record.violations = response.headers['sl-violations'] ?? '[]';
      const headers = response.headers['content-type'] ? { 'content-type': response.headers['content-type'] } : {};
      finish(response.statusCode, headers, Buffer.concat(parts));
    });
  });
  open.add(onward);
  onward.on('close', () => open.delete(onward));
  onward.on('error', error => finish(599, {}, Buffer.from(String(error))));
  onward.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
