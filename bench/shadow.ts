/** `npm run bench -- --only shadow`: what a shadow at 100 % and a recording at 10 % cost a request that is forwarded, in CPU time. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/config/config.ts';
import { createProtocols } from '../src/formats/index.ts';
import type { Answer } from '../src/gateway/answer.ts';
import type { HttpFacts } from '../src/gateway/request-observer.ts';
import { createRequestRecorder } from '../src/observe/record/create-recorder.ts';
import { recurringV25 } from '../src/services/recurring/versions.ts';
import { freshKeys, parseKeyRing } from '../src/vault/key-ring.ts';
import { createVault } from '../src/vault/vault.ts';
import { demoAuthorization } from '../test/support/server.ts';
import { describeMachine, loadCore } from './machine.ts';
import { limited, median } from './results.ts';
import { closedConnections, cpuPerRequest, inRounds, type Running } from './rounds.ts';
import { runSection, sectionOptions } from './section.ts';
import { bytesOf } from './security/connection.ts';
import { freePort, type Server, startServer } from './server.ts';
import { listing } from './upstream/listing.ts';

const { values: options } = parseArgs({ options: sectionOptions });
const plan = options.quick
  ? { rounds: 5, roundMs: 500, warmUpMs: 2_000 }
  : { rounds: 11, roundMs: 1_000, warmUpMs: 4_000 };
const ratioMax = 1.3;
const recordingUsMax = 3;
const share = 10;
const modes = ['plain', 'twice', 'shadow'] as const;
type Mode = (typeof modes)[number];

const operation = recurringV25.operations.get('listRecurringDetails')!;
const input = { merchantAccount: 'DemoMerchant', shopperReference: 'SHOPPER' };
const protocols = createProtocols([recurringV25]);

await runSection('shadow', options, async (folder, closing) => {
  const start: Start = async (program, env, readyUrl, cores) => {
    const launch = { parameters: [fileURLToPath(new URL(program, import.meta.url))], env, readyUrl };
    const logFile = join(folder, 'servers.log');
    const server = await startServer({ ...launch, logFile, readyMsMax: 60_000, ...(cores && { cores }) });
    closing.defer(() => server.stop());
    return server;
  };
  const upstreamPort = await freePort();
  const url = `http://127.0.0.1:${upstreamPort}`;
  await start('upstream/answering.ts', { PORT: String(upstreamPort) }, `${url}/`, loadCore);
  const servers = {
    plain: await startGateway(start, 'plain', url),
    twice: await startGateway(start, 'twice', url),
    shadow: await startGateway(start, 'shadow', url),
  };
  for (const mode of modes) await costOf(servers[mode], plan.warmUpMs);
  const us = await inRounds(modes, plan.rounds, (mode) => costOf(servers[mode], plan.roundMs));
  const metrics = await (await fetch(`http://127.0.0.1:${servers.shadow.adminPort}/metrics`)).text();
  const sum = (name: string): number =>
    [...metrics.matchAll(new RegExp(`^triglyph_shadow_${name}_total\\{[^}]*\\} (\\d+)`, 'gm'))].reduce(
      (all, [, count]) => all + Number(count),
      0,
    );
  const [plain, twice, shadowed] = modes.map((mode) => median(us.get(mode)!)) as [number, number, number];
  const compared = sum('answers_same') + sum('answers_differing');
  const findings = [
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
    limited(`recording ${share} % of the requests`, measureRecording(folder), 'at most', recordingUsMax, 'us', 2),
  ];
  const head = `CPU time for a listing in SOAP that a JSON server answers, median of ${plan.rounds} alternating rounds on ${closedConnections} connections. ${describeMachine('the gateways on one core, the upstream and the load on the other')}`;
  return { text: [head], findings };
});

type Start = (
  program: string,
  env: Readonly<Record<string, string>>,
  readyUrl: string,
  cores?: string,
) => Promise<Server>;

interface Gateway extends Running {
  readonly adminPort: number;
}

async function startGateway(start: Start, mode: Mode, url: string): Promise<Gateway> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const env = {
    ...{ MODE: mode, UPSTREAM: url, PORT: String(port), ADMIN_PORT: String(adminPort) },
    ...{ REQUEST_WAIT_MS_MAX: '60000', REQUESTS_PER_SOCKET_MAX: '0', REQUESTS_PER_CREDENTIAL_MAX: '0' },
    ...{ CONNECTIONS_PER_ADDRESS_MAX: '0', UNAUTHENTICATED_PER_SECOND_MAX: '0' },
  };
  const server = await start('shadow-gateway.ts', env, `http://127.0.0.1:${adminPort}/readyz`);
  return { server, port, adminPort };
}

function costOf(gateway: Gateway, ms: number): Promise<number> {
  const { path, contentType, body } = protocols.soap11.encodeRequest(recurringV25, operation, input);
  const headers = { Host: `127.0.0.1:${gateway.port}`, Authorization: demoAuthorization, 'Content-Type': contentType };
  const request = bytesOf({ path, headers, body: String(body) });
  return cpuPerRequest(gateway, () => request, ms);
}

/** Microseconds of CPU for each request, of which the share is recorded. */
function measureRecording(folder: string): number {
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
