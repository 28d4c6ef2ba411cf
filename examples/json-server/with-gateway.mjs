/**
 * Starts the JSON server, and the gateway in front of it: `npm run demo:upstream`.
 *
 *     node examples/json-server/with-gateway.mjs [--port 8080] [--admin-port 9090] [--data data/upstream-demo]
 *
 * PORT and ADMIN_PORT take the place of the defaults.
 * The JSON server knows the callers. The gateway has no credentials of its own: it forwards theirs.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createJsonServer } from './server.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: process.env.PORT || '8080' },
    'admin-port': { type: 'string', default: process.env.ADMIN_PORT || '9090' },
    data: { type: 'string', default: 'data/upstream-demo' },
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
    DATA_DIR: values.data,
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
