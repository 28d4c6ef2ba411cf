/** `npm run bench -- --only shadow`: what shadows at 100 % and a recording at 10 % cost a request that is forwarded, in CPU time of the gateway. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/config/config.ts';
import { createProtocols } from '../src/core/formats/wire-formats.ts';
import type { Answer } from '../src/core/gateway/answer.ts';
import type { HttpFacts } from '../src/core/gateway/request-observer.ts';
import { freshKeys, parseKeyRing } from '../src/core/vault/key-ring.ts';
import { createVault } from '../src/core/vault/vault.ts';
import { createRequestRecorder } from '../src/insight/record/create-recorder.ts';
import { recurringV25 } from '../src/payments/recurring/versions.ts';
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
  : { rounds: 7, roundMs: 1_000, warmUpMs: 6_000 };
/** After a quiet time the copies may use a second of the processor at once. A round begins when they have. */
const burstMs = 5_000;
const ratioMax = 1.1;
const recordingUsMax = 3;
const share = 10;
const plain = 'none';
/** What a shadow answers: `upstream/answering.ts`. */
const shadows = [
  'equal',
  'different',
  'unknown members',
  'very many members',
  'no JSON',
  'refusals',
  'nothing',
] as const;
type Mode = typeof plain | (typeof shadows)[number];
const modes: readonly Mode[] = [plain, ...shadows];

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
  const startAnswering = async (answers: string): Promise<string> => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await start('upstream/answering.ts', { PORT: String(port), ANSWERS: answers }, `${url}/`, loadCore);
    return url;
  };
  const upstream = await startAnswering('equal');
  const gateways = new Map<Mode, Gateway>();
  for (const mode of modes)
    gateways.set(mode, await startGateway(start, upstream, mode === plain ? undefined : await startAnswering(mode)));
  for (const mode of modes) await costOf(gateways.get(mode)!, plan.warmUpMs);
  const us = await inRounds(modes, plan.rounds, async (mode) => {
    await costOf(gateways.get(mode)!, burstMs);
    return costOf(gateways.get(mode)!, plan.roundMs);
  });
  const alone = median(us.get(plain)!);
  const findings = [
    ...(await Promise.all(
      shadows.map(async (mode) => {
        const shadowed = median(us.get(mode)!);
        const copies = await countCopies(gateways.get(mode)!);
        return {
          name: `a shadow that answers: ${mode}`,
          measured: `${(shadowed / alone).toFixed(2)} times: ${shadowed.toFixed(0)} us against ${alone.toFixed(0)} us; ${copies}`,
          limit: `at most ${ratioMax} times`,
          holds: shadowed / alone <= ratioMax,
        };
      }),
    )),
    limited(`recording ${share} % of the requests`, measureRecording(folder), 'at most', recordingUsMax, 'us', 2),
  ];
  const head = `CPU time for a listing in SOAP that a JSON server answers, median of ${plan.rounds} alternating rounds on ${closedConnections} connections. ${describeMachine('the gateways on one core, the upstream, the shadows and the load on the other')}`;
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

async function startGateway(start: Start, upstream: string, shadow: string | undefined): Promise<Gateway> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const env = {
    ...{ UPSTREAM: upstream, ...(shadow && { SHADOW: shadow }), PORT: String(port), ADMIN_PORT: String(adminPort) },
    ...{ REQUEST_WAIT_MS_MAX: '60000', REQUESTS_PER_SOCKET_MAX: '0', REQUESTS_PER_CREDENTIAL_MAX: '0' },
    ...{ CONNECTIONS_PER_ADDRESS_MAX: '0', UNAUTHENTICATED_PER_SECOND_MAX: '0' },
  };
  const server = await start('shadow-gateway.ts', env, `http://127.0.0.1:${adminPort}/readyz`);
  return { server, port, adminPort };
}

/** What became of the copies: a shadow has a share of the processor, and what is beyond is dropped. */
async function countCopies({ adminPort }: Gateway): Promise<string> {
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const sum = (name: string): number =>
    [...metrics.matchAll(new RegExp(`^triglyph_shadow_${name}_total\\{[^}]*\\} (\\d+)`, 'gm'))].reduce(
      (all, [, count]) => all + Number(count),
      0,
    );
  const compared = sum('answers_same') + sum('answers_differing');
  return `${compared} compared, ${sum('failed')} failed, ${sum('dropped')} dropped`;
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
