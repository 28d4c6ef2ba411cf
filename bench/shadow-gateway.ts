/** A gateway of the bench in front of UPSTREAM, with the shadow SHADOW at 100 %, if that is named. */

import { openBackend } from '../src/backend/backend.ts';
import { settingGroupsOf } from '../src/backend/compose-services.ts';
import { planUpstreams } from '../src/backend/upstreams/plan.ts';
import { readConfig } from '../src/config/config.ts';
import { readSources } from '../src/config/variable-sources.ts';
import { clock } from '../src/core/lib/clock.ts';
import { freshKeys } from '../src/core/vault/key-ring.ts';
import { builtInServices } from '../src/payments/index.ts';
import { startServer } from '../src/program/app/server.ts';
import { openMemory } from '../src/stores/sqlite/memory.ts';

const { SHADOW: shadowUrl, UPSTREAM: url = '' } = process.env;
const shadow = shadowUrl === undefined ? undefined : ({ url: shadowUrl, credentials: 'forward' } as const);
const { plan } = planUpstreams(
  {
    upstreams: { json: { url, credentials: 'forward', ...(shadow && { shadow }) } },
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
const server = await startServer(config, backend, { upstreams: plan });
process.once('SIGTERM', () => void server.stop().then(() => process.exit()));
