/**
 * A server that speaks JSON only, as one may have it already, to put the gateway in front of.
 *
 *     node examples/json-server/server.mjs [--port 8081] [--deduplicate]
 *
 * Memory holds everything. `GET /effects` counts what each write has done, by shopper. With `--deduplicate`, a write
 * with the `Idempotency-Key` of an earlier one gets its answer, and has no effect.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { createOperations, Refusal } from './stored-details.mjs';

const merchantAccounts = ['DemoMerchant', 'DemoMerchantNL'];
const demoCredentials = {
  'Basic d3NAQ29tcGFueS5EZW1vOmRlbW8tcGFzc3dvcmQ=': { accounts: merchantAccounts },
  'demo-api-key': { accounts: merchantAccounts },
  'demo-key-without-role': { accounts: [] },
};

const security = { errorType: 'security' };
const writing = ['storeToken', 'disable', 'scheduleAccountUpdater', 'notifyShopper'];
const bodyBytesMax = 1_000_000;

/** Returns an HTTP server that does not listen yet. Tests replace the options. */
export function createJsonServer({
  deduplicate = false,
  credentials = demoCredentials,
  now = Date.now,
  reference = () => String(8e15 + randomInt(2 ** 48 - 1)),
  ...also
} = {}) {
  const operations = createOperations({ now, reference, ...also });
  const effects = {};
  /** The answers of writes, by credential and key. */
  const answered = new Map();

  /** Returns the body of an answer; throws a Refusal. */
  function answer(request, text, pspReference) {
    if (request.method !== 'POST') throw new Refusal(405, '000', 'Method not allowed');
    const [, operation] = /^\/pal\/servlet\/Recurring\/v\d+\/(\w+)$/.exec(request.url) ?? [];
    if (!Object.hasOwn(operations, operation ?? '')) throw new Refusal(404, '000', 'Service not found');
    const [type] = (request.headers['content-type'] ?? '').split(';');
    if (type.trim() !== 'application/json') throw new Refusal(415, '000', 'Unsupported media type');
    const presented = request.headers['x-api-key'] ?? request.headers.authorization ?? '';
    if (!Object.hasOwn(credentials, presented))
      throw new Refusal(401, '000', 'HTTP Status Response - Unauthorized', security);
    const { accounts } = credentials[presented];
    if (accounts.length === 0) throw new Refusal(403, '010', 'Not allowed', security);
    const input = parse(text);
    if (!input.merchantAccount) throw new Refusal(422, '901', 'Invalid Merchant Account', { field: 'merchantAccount' });
    if (!accounts.includes(input.merchantAccount))
      throw new Refusal(403, '901', 'Invalid Merchant Account', { ...security, field: 'merchantAccount' });
    if (!writing.includes(operation)) return operations[operation](input, pspReference);
    const key = deduplicate && request.headers['idempotency-key'];
    const earlier = key && answered.get(`${presented} ${key}`);
    if (earlier) {
      if (earlier.text !== text) throw new Refusal(422, '704', 'Idempotency-Key already used for another request');
      return earlier.body;
    }
    const body = operations[operation](input, pspReference);
    const name = `${operation} ${input.shopperReference ?? input.reference}`;
    effects[name] = (effects[name] ?? 0) + 1;
    if (key) answered.set(`${presented} ${key}`, { text, body });
    return body;
  }

  return createServer(async (request, response) => {
    const send = (status, body, headers = {}) => {
      const text = JSON.stringify(body);
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        ...headers,
      });
      response.end(text);
    };
    const chunks = [];
    let bytes = 0;
    try {
      for await (const chunk of request) {
        bytes += chunk.length;
        if (bytes <= bodyBytesMax) chunks.push(chunk);
      }
    } catch {
      // The client has closed the connection.
      return;
    }
    if (request.method === 'GET' && request.url === '/effects') return send(200, effects);
    const pspReference = reference('request');
    try {
      if (bytes > bodyBytesMax) throw new Refusal(413, '000', 'Request too large');
      send(200, answer(request, Buffer.concat(chunks).toString(), pspReference), { pspReference });
    } catch (thrown) {
      const status = thrown instanceof Refusal ? thrown.status : 500;
      const internal = { status, errorCode: '701', message: 'Server could not process request', errorType: 'internal' };
      if (!(thrown instanceof Refusal)) console.error(thrown);
      const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="json-server"' } : {};
      send(status, { ...(thrown.body ?? internal), pspReference }, { pspReference, ...challenge });
    }
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, '702', 'Problem parsing request: not JSON');
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '8081' }, deduplicate: { type: 'boolean', default: false } },
  });
  const server = createJsonServer({ deduplicate: values.deduplicate });
  server.listen(Number(values.port), '127.0.0.1', () =>
    console.log(`JSON only at http://127.0.0.1:${server.address().port}`),
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit());
}
