/** `node bench/upstream/stores.ts`: what a forwarded write with a key costs a gateway on PostgreSQL, on Redis and without a store, and its start. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { triglyph } from '../../test/support/commands.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { startRedis } from '../../test/support/redis.ts';
import { type Server, startServer } from '../../test/support/server.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { median } from '../results.ts';
import { cpuUs, memoryBytes } from '../server.ts';

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(options.rounds);
const requests = 2_000;
const connections = 16;
const program = join(import.meta.dirname, '../../bin/triglyph.mjs');

const upstream = createServer((request, response) => {
  const answer = () =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"response":"[detail-successfully-disabled]"}');
  request.resume().once('end', answer);
}).listen(0, '127.0.0.1');
await once(upstream, 'listening');
const folder = tempFolder();
const keyFile = join(folder.path, 'keys');
await triglyph(['keys', 'create', keyFile], folder.path);
const postgres = await startPostgres();
const redis = await startRedis({ persistent: true });
const servers: Server[] = [];

const stores = {
  PostgreSQL: { DATABASE_URL: await postgres.createDatabase() },
  Redis: { REDIS_STORE_URL: redis.url },
  none: { STATELESS: 'on' },
};
const modes = ['none', 'header'] as const;

try {
  for (const mode of modes) {
    const measured = Object.entries(stores).filter(([name]) => mode === 'header' || name !== 'none');
    const running = new Map<
      string,
      { readonly server: Server; readonly startUs: number; readonly startBytes: number; readonly used: number[] }
    >();
    for (const [name, store] of measured) {
      const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
      const parameters = ['--upstream', url, '--upstream-idempotency', mode];
      const variables = {
        ...store,
        KEY_FILE: keyFile,
        LOG_LEVEL: 'warn',
        CALLER_RECORDS: 'off',
        AUDIT: 'off',
        CONSOLE: 'off',
      };
      // The first start migrates.
      await (await startServer('serve', folder.path, variables, { file: program, parameters })).stop();
      const server = await startServer('serve', folder.path, variables, { file: program, parameters });
      servers.push(server);
      running.set(name, { server, startUs: cpuUs(server.pid), startBytes: memoryBytes(server.pid, 'VmRSS'), used: [] });
    }
    for (let round = 0; round <= rounds; round += 1)
      for (const [name, { server, used }] of running) {
        const before = cpuUs(server.pid);
        await load(server, `${mode} ${name} ${round}`);
        // The first one warms up.
        if (round > 0) used.push((cpuUs(server.pid) - before) / requests);
      }
    console.log(
      `\nidempotency ${mode}\n| store | start, ms of CPU | memory after it, MiB | after the load | CPU per request, us |\n| --- | ---: | ---: | ---: | ---: |`,
    );
    for (const [name, { server, startUs, startBytes, used }] of running) {
      const cells = [startUs / 1_000, startBytes / 2 ** 20, memoryBytes(server.pid, 'VmRSS') / 2 ** 20, median(used)];
      console.log(`| ${[name, ...cells.map((each) => each.toFixed(0))].join(' | ')} |`);
    }
  }
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  upstream.close();
  await redis.stop();
  await postgres.discard();
  folder.discard();
}

/** Each request has a key of its own. */
async function load({ callers }: Server, name: string): Promise<void> {
  let sent = 0;
  const client = async (): Promise<void> => {
    while (sent < requests) {
      sent += 1;
      const response = await fetch(`${callers}/pal/servlet/Recurring/v25/disable`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': 'k',
          'idempotency-key': `${name}-${sent}`.replaceAll(' ', '-'),
        },
        body: '{"merchantAccount":"Shop","shopperReference":"anna"}',
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
}
