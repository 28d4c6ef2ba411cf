/** Answers the operations of the overview: what the gateway serves, and what needs the attention of an operator. */
import type { AuditKind } from '../../access/index.ts';
import { engineTitle, startedAt } from '../../backend/index.ts';
import { hasDatabase, version } from '../../config/index.ts';
import {
  namedOperations,
  newestOf,
  type Output,
  type Service,
  serviceAddress,
  versionsOf,
} from '../../core/contract/index.ts';
import { operatorRoles } from '../../operators/index.ts';
import { webhookJobKind } from '../../stores/jobs/index.ts';
import { type ConsoleContext, originForCallers, type ViewHandlers } from '../console-context.ts';
import { certificatesOf } from '../state/handlers.ts';
import type { listAttention, overviewOperations } from './contract.ts';
import { readChanges, readLastHour } from './last-hour.ts';

export function overviewHandlers(context: ConsoleContext): ViewHandlers<(typeof overviewOperations)[number]> {
  const { config, services, readiness } = context;
  return {
    listAttention: () => findAttention(context),
    getLastHour: () => readLastHour(context),
    listChanges: () => readChanges(context),
    async getOverview() {
      const { ready, probes } = await readiness();
      return {
        version,
        environment: config.environment,
        isDemo: config.mode === 'demo',
        startedAt: startedAt(),
        workers: config.workers,
        store: engineTitle(config),
        ready,
        parts: Object.entries(probes).map(([name, result]) => ({ name, result })),
        services: newestOf(services).map((each) => describeService(each, services, originForCallers(context))),
      };
    },
  };
}

function describeService(newest: Service, services: readonly Service[], origin: string) {
  const versions = services.filter(({ name }) => name === newest.name).flatMap(versionsOf);
  const [first, last] = [versions[0]!, versions.at(-1)!];
  const address = origin + serviceAddress(newest);
  return {
    name: newest.name,
    doc: newest.doc,
    versions: first === last ? first : `${first} to ${last}`,
    operations: newest.operations.size,
    address,
    ...(namedOperations(newest).length > 0 && { wsdl: `${address}?wsdl` }),
    openApi: `${address}/openapi.json`,
  };
}

type Attention = Output<typeof listAttention>;
type Item = Attention['items'][number];
type Find = (context: ConsoleContext) => Promise<readonly Item[]>;

const dayMs = 86_400_000;
const expiryWarnedMs = 30 * dayMs;
const recentMs = 60 * 60_000;
const waitingMsMax = 15 * 60_000;
const countedMax = 1_000;

/** What cannot be looked at now does not hide the rest. */
async function findAttention(context: ConsoleContext): Promise<Attention> {
  const chosen = context.boundTenant === undefined ? finders : findersOfTenant;
  const found = await Promise.allSettled(chosen.map((find) => find(context)));
  for (const each of found) if (each.status === 'rejected') context.failed(each.reason);
  const items = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  return {
    isComplete: found.every(({ status }) => status === 'fulfilled'),
    items: [...items.filter(({ level }) => level === 'bad'), ...items.filter(({ level }) => level === 'warning')],
  };
}

const finders: readonly Find[] = [
  ...[parts, processes, webhooks, pending, jobs, panels, callers, credentials, certificates, audit],
];

const findersOfTenant: readonly Find[] = [webhooks, pending, credentials];

async function parts({ readiness }: ConsoleContext): Promise<readonly Item[]> {
  const { probes, draining } = await readiness();
  const failing = Object.entries(probes).filter(([, result]) => result !== 'ok');
  return [
    ...(draining ? [warning('The gateway stops.')] : []),
    ...failing.map(([name, result]) => bad(`${name} does not work: ${result}.`, '/state/store')),
  ];
}

async function processes({ processes: read, config }: ConsoleContext): Promise<readonly Item[]> {
  const reports = await read();
  const missing = config.workers - reports.length;
  const open = new Set(
    reports.flatMap(({ upstreams }) => upstreams.filter(({ breaker }) => breaker !== 'closed').map(({ name }) => name)),
  );
  return [
    ...(missing > 0 ? [bad(`${missing} of ${config.workers} processes do not answer.`, '/state/processes')] : []),
    ...[...open].map((name) => bad(`The circuit breaker of the upstream ${name} is open.`, '/state/upstreams')),
    ...(reports.some(({ redis }) => redis === 'down')
      ? [
          hasDatabase(config)
            ? warning('Redis does not answer. The store alone refuses duplicates.', '/state/store')
            : bad('Redis does not answer. Requests with a key are refused.', '/state/store'),
        ]
      : []),
  ];
}

async function webhooks({ backend: { endpoints } }: ConsoleContext): Promise<readonly Item[]> {
  const dead = await endpoints.countDeadLetters();
  const oldestMs = (await endpoints.oldestWaitingMs()) ?? 0;
  const path = '/state/webhooks';
  return [
    ...(dead > 0 ? [bad(`${count(dead, 'webhook')} could not be delivered.`, path)] : []),
    ...(oldestMs > waitingMsMax
      ? [warning(`The oldest webhook waits for ${Math.round(oldestMs / 60_000)} minutes.`, path)]
      : []),
  ];
}

async function pending({ backend: { unsettled } }: ConsoleContext): Promise<readonly Item[]> {
  const unknown = await unsettled.countUnknown();
  if (unknown === 0) return [];
  return [bad(`The outcome of ${count(unknown, 'request')} to other servers is unknown.`, '/state/pending')];
}

async function jobs({ backend: { inspection } }: ConsoleContext): Promise<readonly Item[]> {
  const kinds = (await inspection.summarizeJobs()).filter(({ kind }) => kind !== webhookJobKind);
  return kinds.flatMap(({ kind, dead, failing }) => [
    ...(dead > 0 ? [bad(`${count(dead, 'job')} of the kind ${kind} were given up.`, '/state/jobs')] : []),
    ...(failing > 0
      ? [warning(`${count(failing, 'job')} of the kind ${kind} fail and are repeated.`, '/state/jobs')]
      : []),
  ]);
}

async function panels({ backend: { services } }: ConsoleContext): Promise<readonly Item[]> {
  const read = await Promise.all((services.panels ?? []).map(async (each) => ({ ...each, facts: await each.read() })));
  return read.flatMap(({ title, facts }) =>
    facts
      .filter(({ needsAttention }) => needsAttention)
      .map(({ name, value }) => warning(`${title}: ${name}: ${value}`, '/state/services')),
  );
}

/** Without a credential of a caller, each call is refused: the next step of a new installation. */
async function callers({ backend: { registry }, config, plan }: ConsoleContext): Promise<readonly Item[]> {
  if (!hasDatabase(config) || plan.decidesRights || plan.callers.length > 0) return [];
  const isOfCaller = ({ roles, revokedAt }: { readonly roles: readonly string[]; readonly revokedAt?: unknown }) =>
    revokedAt === undefined && roles.some((role) => !operatorRoles.includes(role));
  if ((await registry.listCredentials()).some(isOfCaller)) return [];
  return [warning('No caller has a credential yet. Add the first one.', '/actions/addCredential')];
}

async function credentials({ backend }: ConsoleContext): Promise<readonly Item[]> {
  const expiresAt = await backend.credentialUses.findNextExpiry();
  const now = backend.context.clock.now();
  if (expiresAt === undefined || expiresAt > now + expiryWarnedMs) return [];
  return [{ ...warning('A credential expires:'), at: expiresAt }];
}

async function certificates({ config, plan, backend }: ConsoleContext): Promise<readonly Item[]> {
  const now = backend.context.clock.now();
  return certificatesOf(config, plan)
    .filter(({ expiresAt }) => expiresAt < now + expiryWarnedMs)
    .map(({ name, expiresAt }) => {
      const level = expiresAt < now ? bad : warning;
      return { ...level(`The certificate for ${name} ends:`, '/state/processes'), at: expiresAt };
    });
}

/** Events that an operator should look at, with the time for which they are shown. */
interface WatchedEvent {
  readonly kind: AuditKind;
  readonly sinceMs: number;
  readonly level: (text: string, path: string) => Item;
  readonly text: (events: number) => string;
}

const watched: readonly WatchedEvent[] = [
  {
    kind: 'loginLocked',
    sinceMs: recentMs,
    level: warning,
    text: (n) => `${count(n, 'log-in')} locked in the last hour.`,
  },
  {
    kind: 'limitReached',
    sinceMs: recentMs,
    level: warning,
    text: (n) => `${count(n, 'limit')} reached in the last hour.`,
  },
  {
    kind: 'rowAltered',
    sinceMs: 7 * dayMs,
    level: bad,
    text: (n) => `${count(n, 'row')} changed outside of the gateway.`,
  },
  { kind: 'chainBroken', sinceMs: 7 * dayMs, level: bad, text: () => 'The chain of the audit log is broken.' },
  { kind: 'eventsLost', sinceMs: 7 * dayMs, level: warning, text: () => 'Events were not recorded in the audit log.' },
];

async function audit({ backend: { auditLog, context } }: ConsoleContext): Promise<readonly Item[]> {
  const now = context.clock.now();
  const found = await Promise.all(
    watched.map(async ({ kind, sinceMs, level, text }) => {
      const { length } = await auditLog.list({ kind, since: now - sinceMs, max: countedMax });
      return length === 0 ? [] : [level(text(length), `/state/audit?kind=${kind}`)];
    }),
  );
  return found.flat();
}

function bad(text: string, path?: string): Item {
  return { level: 'bad', text, path };
}

function warning(text: string, path?: string): Item {
  return { level: 'warning', text, path };
}

function count(n: number, noun: string): string {
  const shown = n >= countedMax ? `${countedMax} or more` : String(n);
  return `${shown} ${noun}${n === 1 ? '' : 's'}`;
}
