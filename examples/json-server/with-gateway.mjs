/**
 * Starts the JSON server, and the gateway in front of it: `npm run demo:upstream`.
 *
 *     node examples/json-server/with-gateway.mjs [--port 8080] [--admin-port 9090] [--data data/upstream-demo] [--keys upstream-demo.keys]
 *
 * PORT and ADMIN_PORT take the place of the defaults. With REDIS_STORE_URL the gateway has its records there, and nothing on disk but
 * the file of its keys, which is created where it is missing.
 * The JSON server knows the callers. The gateway has no credentials of its own: it forwards theirs.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createJsonServer } from './server.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: process.env.PORT || '8080' },
    'admin-port': { type: 'string', default: process.env.ADMIN_PORT || '9090' },
    data: { type: 'string', default: 'data/upstream-demo' },
    keys: { type: 'string', default: process.env.KEY_FILE || 'upstream-demo.keys' },
  },
});
const program = join(import.meta.dirname, '../../bin/triglyph.mjs');

// It deduplicates, so that a retry of a write is answered after a crash, too.
const server = createJsonServer({ deduplicate: true });
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const upstream = `http://127.0.0.1:${server.address().port}`;

const parameters = ['serve', '--upstream', upstream, '--upstream-idempotency', 'header'];
const gateway = spawn(process.execPath, [program, ...parameters], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: values.port,
    ADMIN_PORT: values['admin-port'],
    ...storage(),
  },
});
gateway.stdout.pipe(process.stdout);
createInterface({ input: gateway.stdout }).on('line', (line) => {
  const { msg, callers } = JSON.parse(line);
  if (msg === 'ready') printExample(callers);
});

gateway.once('exit', (code) => process.exit(code ?? 1));
const stop = () => gateway.kill('SIGTERM');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
// npm passes not every signal on.
const { ppid } = process;
if (process.env.npm_lifecycle_event) setInterval(() => process.ppid === ppid || stop(), 250).unref();

/** Every gateway on one Redis needs the same keys, so they are in a file of their own. */
function storage() {
  if (!process.env.REDIS_STORE_URL) return { DATA_DIR: values.data };
  if (!existsSync(values.keys)) execFileSync(process.execPath, [program, 'keys', 'create', values.keys]);
  return { KEY_FILE: values.keys };
}

function printExample(callers) {
  console.log(`
The JSON server is at ${upstream}, and the gateway in front of it at ${callers}. This PHP program calls it in SOAP:

  <?php
  $options = ['login' => 'ws@Company.Demo', 'password' => 'demo-password'];
  $client = new SoapClient('${callers}/pal/servlet/Recurring/v25?wsdl', $options);
  $request = ['merchantAccount' => 'DemoMerchant', 'shopperReference' => 'shopper-1', 'recurring' => ['contract' => 'ONECLICK']];
  print_r($client->listRecurringDetails(['request' => $request])->result);

Ctrl-C stops both.
`);
}
