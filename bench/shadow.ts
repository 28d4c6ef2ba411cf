/** `npm run bench -- --only shadow`: what a shadow at 100 % and a recording at 10 % cost a request that is forwarded, in CPU time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/config/config.ts';
import { maskSensitive } from '../src/contract/redaction.ts';
import { createProtocols } from '../src/formats/index.ts';
import type { Answer } from '../src/gateway/answer.ts';
import type { HttpFacts } from '../src/gateway/request-observer.ts';
import { createRequestRecorder } from '../src/observe/record/create-recorder.ts';
import { recurringV25 } from '../src/services/recurring/versions.ts';
import { freshKeys, parseKeyRing } from '../src/vault/key-ring.ts';
import { createVault } from '../src/vault/vault.ts';
import { loadCore } from './cores.ts';
import { describeMachine } from './machine.ts';
import { writeSection } from './page.ts';
import { type Finding, median, printFindings } from './results.ts';
import { bytesOf, openConnection } from './security/connection.ts';
import { freePort, type Server, startServer, threadCpuUs } from './server.ts';
import { listing } from './upstream/listing.ts';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const plan = options.quick
  ? { rounds: 5, roundMs: 500, warmUpMs: 2_000 }
  : { rounds: 11, roundMs: 1_000, warmUpMs: 4_000 };
const ratioMax = 1.3;
const recordingUsMax = 3;
const connections = 8;
const share = 10;
const modes = ['plain', 'twice', 'shadow'] as const;
type Mode = (typeof modes)[number];

const operation = recurringV25.operations.get('listRecurringDetails')!;
const input = { merchantAccount: 'DemoMerchant', shopperReference: 'SHOPPER' };
const protocols = createProtocols([recurringV25]);

const folder = mkdtempSync(join(tmpdir(), 'triglyph-bench-shadow-'));
const running: Server[] = [];
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  for (const server of running.toReversed()) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<boolean> {
  const upstreamPort = await freePort();
  await start(
    [local('upstream/answering.ts')],
    { PORT: String(upstreamPort) },
    `http://127.0.0.1:${upstreamPort}/`,
    loadCore,
  );
  const url = `http://127.0.0.1:${upstreamPort}`;
  const servers = {
    plain: await startGateway('plain', url),
    twice: await startGateway('twice', url),
    shadow: await startGateway('shadow', url),
  };
  const us: Readonly<Record<Mode, number[]>> = { plain: [], twice: [], shadow: [] };
  for (const mode of modes) await cpuPerRequest(servers[mode], plan.warmUpMs);
  for (let round = 0; round < plan.rounds; round += 1)
    for (const mode of round % 2 === 0 ? modes : modes.toReversed())
      us[mode].push(await cpuPerRequest(servers[mode], plan.roundMs));
  const metrics = await (await fetch(`http://127.0.0.1:${servers.shadow.adminPort}/metrics`)).text();
  const sum = (name: string): number =>
    [...metrics.matchAll(new RegExp(`^triglyph_shadow_${name}_total\\{[^}]*\\} (\\d+)`, 'gm'))].reduce(
      (all, [, count]) => all + Number(count),
      0,
    );
  const [plain, twice, shadowed] = [median(us.plain), median(us.twice), median(us.shadow)];
  const compared = sum('answers_same') + sum('answers_differing');
  const recordingUs = measureRecording();
  const findings: readonly Finding[] = [
    {
      name: 'a shadow at 100 %, against a gateway that sends each request twice',
      measured: `${(shadowed / twice).toFixed(2)} times: ${shadowed.toFixed(0)} us against ${twice.toFixed(0)} us, and ${plain.toFixed(0)} us without the second call`,
      limit: `at most ${ratioMax} times`,
      holds: shadowed / twice <= ratioMax,
    },
    {
      name: 'copies that were dropped, or had no answer',
      measured: `${sum('dropped') + sum('failed')} of ${sum('copies')}`,
      limit: 'less than 1 %',
      holds: compared > 0 && (sum('dropped') + sum('failed')) * 100 < sum('copies'),
    },
    {
      name: `recording ${share} % of the requests`,
      measured: `${recordingUs.toFixed(2)} us a request`,
      limit: `at most ${recordingUsMax} us`,
      holds: recordingUs <= recordingUsMax,
    },
  ];
  const head = `CPU time for a listing in SOAP that a JSON server answers, median of ${plan.rounds} alternating rounds on ${connections} connections. ${describeMachine('the gateways on one core, the upstream and the load on the other')}`;
  const text = [head, printFindings(findings)].join('\n\n');
  console.log(text);
  if (options.write) writeSection('shadow', text);
  return findings.every(({ holds }) => holds);
}

function local(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

async function start(
  parameters: readonly string[],
  env: Readonly<Record<string, string>>,
  readyUrl: string,
  cores?: string,
): Promise<Server> {
  const logFile = join(folder, 'servers.log');
  const server = await startServer({ parameters, env, readyUrl, logFile, readyMsMax: 60_000, ...(cores && { cores }) });
  running.push(server);
  return server;
}

interface Gateway {
  readonly server: Server;
  readonly port: number;
  readonly adminPort: number;
}

async function startGateway(mode: Mode, url: string): Promise<Gateway> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const env = {
    ...{ MODE: mode, UPSTREAM: url, PORT: String(port), ADMIN_PORT: String(adminPort) },
    ...{ REQUEST_WAIT_MS_MAX: '60000', REQUESTS_PER_SOCKET_MAX: '0', REQUESTS_PER_CREDENTIAL_MAX: '0' },
    ...{ CONNECTIONS_PER_ADDRESS_MAX: '0', UNAUTHENTICATED_PER_SECOND_MAX: '0' },
  };
  const server = await start([local('shadow-gateway.ts')], env, `http://127.0.0.1:${adminPort}/readyz`);
  return { server, port, adminPort };
}

/** Each connection sends when it was answered. */
async function cpuPerRequest({ server, port }: Gateway, ms: number): Promise<number> {
  const { path, contentType, body } = protocols.soap11.encodeRequest(recurringV25, operation, input);
  const authorization = `Basic ${Buffer.from('ws@Company.Demo:demo-password').toString('base64')}`;
  const headers = { Host: `127.0.0.1:${port}`, Authorization: authorization, 'Content-Type': contentType };
  const request = bytesOf({ path, headers, body: String(body) });
  let answers = 0;
  let refused: number | undefined;
  const all = Array.from({ length: connections }, () =>
    openConnection({
      port,
      from: '127.0.0.1',
      onOpen: (connection) => connection.send(request),
      onAnswer(status, connection) {
        if (status === 200) answers += 1;
        else refused ??= status;
        connection.send(request);
      },
      onClose: () => {},
    }),
  );
  const before = threadCpuUs(server.pid);
  await new Promise((resolve) => setTimeout(resolve, ms));
  const us = threadCpuUs(server.pid) - before;
  for (const connection of all) connection.close();
  if (refused !== undefined) throw new Error(`a request was answered with ${refused}`);
  return us / answers;
}

/** Microseconds of CPU for each request, of which the share is recorded. */
function measureRecording(): number {
  const rounds: number[] = [];
  const requests = 100_000;
  const recordings = join(folder, 'recorded');
  const config = readConfig('production', {
    ...{ RECORD: recordings, RECORD_SHARE: String(share), RECORD_FIRST: '0' },
    TRIGLYPH_KEYS: freshKeys(),
  });
  const recorder = createRequestRecorder(recordings, config, {
    clock: { now: () => Date.now() },
    vault: createVault(parseKeyRing(freshKeys())),
    mask: maskSensitive,
    count: () => {},
    onError: (thrown) => {
      throw thrown;
    },
  });
  // As a value of the contract, which has no wrappers of items.
  const output = { ...listing, details: listing.details.map((each) => each.RecurringDetail) };
  const entry = {
    ...{ protocol: 'soap11', service: 'Recurring', version: 25, operation: operation.name, credential: 'cr_1' },
    ...{ tenant: 'Demo', client: 'PHP-SOAP/8.2.7', requestReference: 'BENCH00000000001', outcome: 'ok' },
  };
  const answer = { entry, decoded: { operation, input, issues: [] }, output } as unknown as Answer;
  const http = { status: 200, ms: 1.2, bytesIn: 600, bytesOut: 3_000 } as HttpFacts;
  for (let round = 0; round <= 5; round += 1) {
    const begun = process.cpuUsage();
    for (let n = 0; n < requests; n += 1) recorder.observer.answered?.({} as never, answer, http);
    const { user, system } = process.cpuUsage(begun);
    // The first round warms up.
    if (round > 0) rounds.push((user + system) / requests);
  }
  return median(rounds);
}
