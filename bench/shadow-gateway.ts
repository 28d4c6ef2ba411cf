/** A gateway of the bench in front of UPSTREAM: `plain`, with a shadow at 100 % (`shadow`), or that sends each request `twice`, and compares nothing. */
import { startServer } from '../src/app/server.ts';
import { openBackend } from '../src/backend/backend.ts';
import { settingGroupsOf } from '../src/backend/compose-services.ts';
import { planUpstreams } from '../src/backend/upstreams/plan.ts';
import { readConfig } from '../src/config/config.ts';
import { readSources } from '../src/config/variable-sources.ts';
import { createProtocols } from '../src/formats/index.ts';
import type { Interceptor } from '../src/gateway/handle-request.ts';
import { clock } from '../src/lib/clock.ts';
import { builtInServices, services } from '../src/services/index.ts';
import { newestRecurring } from '../src/services/recurring/versions.ts';
import { openMemory } from '../src/store/sqlite/memory.ts';
import { createUpstream } from '../src/upstream/create-upstream.ts';
import { forwardCredential } from '../src/upstream/headers.ts';
import { freshKeys } from '../src/vault/key-ring.ts';

const { MODE: mode = 'plain', UPSTREAM: url = '' } = process.env;
const shadow = { url, credentials: 'forward', concurrency: 64, queueMax: 1_000 } as const;
const { plan } = planUpstreams(
  {
    upstreams: { json: { url, credentials: 'forward', ...(mode === 'shadow' && { shadow }) } },
    answeredBy: { Recurring: 'json', BalancePlatform: 'json' },
  },
  builtInServices,
  readSources(),
);
if (plan === undefined) throw new Error('the upstreams have faults');
const variables = { ...process.env, TRIGLYPH_KEYS: freshKeys(), LOG_LEVEL: 'warn', CONSOLE: 'off' };
const config = readConfig('production', variables, settingGroupsOf(builtInServices));
const backend = await openBackend(
  config,
  { exclusive: true, open: async () => openMemory(clock.now) },
  builtInServices,
);
const server = await startServer(config, backend, {
  upstreams: plan,
  ...(mode === 'twice' && { interceptor: sendTwice() }),
});
process.once('SIGTERM', () => void server.stop().then(() => process.exit()));

/** Sends each request once more, and does not wait for the answer. */
function sendTwice(): Interceptor {
  const upstream = createUpstream({
    ...{ name: 'second', url, format: 'json', protocols: createProtocols(services), referenceHeader: 'pspReference' },
    credentials: { find: (request) => forwardCredential(request), areOfCaller: true },
    timeouts: { connectMs: 2_000, headersMs: 10_000, bodyMs: 10_000, totalMs: 15_000 },
    ...{ connections: 64, queueMax: 1_000, responseBytesMax: 10 << 20, clock, report: () => {} },
  });
  const operation = newestRecurring.operations.get('listRecurringDetails')!;
  const { forward } = upstream.handler(newestRecurring, operation);
  return async (request, _protocol, proceed) => {
    const answer = await proceed();
    forward(request, undefined, undefined).catch(() => {});
    return answer;
  };
}
