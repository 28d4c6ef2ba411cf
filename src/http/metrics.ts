/** The metrics, and how a request is counted: labels come from names that the program knows, so they stay few. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { problems } from '../contract/problem.ts';
import type { Account } from '../gateway/answer.ts';

/** The names that may become labels; anything else is `other`. */
export interface KnownNames {
  readonly protocols: readonly string[];
  readonly operations: readonly string[];
  readonly versions: readonly number[];
}

export interface Metrics {
  readonly registry: Registry;
  count(account: Account, seconds: number): void;
  /** Requests that have begun and are not answered. */
  inFlight: number;
  /** Told by the server once it listens. */
  connections: () => number;
  /** Whether the gate answers; absent where there is none. */
  gateUp?: () => boolean;
  /** Something happened at the gate: `up`, `down`, `failed`, `unreadable`. */
  gateEvent(kind: string): void;
  /** Something happened between this process and an updater outside, to so many checks. */
  updaterEvent(kind: string, checks: number): void;
  /** What came of an attempt to deliver a webhook: `accepted`, `refused`, `unreachable`, `late`; or `givenUp` after all of them. */
  webhookEvent(outcome: string): void;
  /** What is still to be told; asked for each time that the metrics are. */
  webhooks?: () => Promise<{ readonly oldestDueMs?: number | undefined; readonly deadLetters: number }>;
}

const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Reasons come from the readers' own texts; the cap holds should one ever carry more. */
const reasonsMax = 100;

/** Combinations of names that are counted without looking up their labels. */
const keptMax = 1000;

/** Problems of reading bytes, as against what the bytes ask for. */
const undecoded: ReadonlySet<number> = new Set([400, 408, 413, 415]);
const envelope: ReadonlySet<string> = new Set(['mustUnderstand', 'versionMismatch']);

const bounded = (names: readonly (string | number)[], extra: readonly string[] = []) => {
  const known = new Set([...names.map(String), ...extra]);
  return (name: string | undefined): string => {
    if (name === undefined) return 'none';
    return known.has(name) ? name : 'other';
  };
};

/** Reasons pass as they are while there are few of them and each looks like a name. */
const createReasonLabel = (): ((reason: string) => string) => {
  const reasons = new Set<string>();
  return (reason) => {
    if (reasons.has(reason)) return reason;
    if (reasons.size >= reasonsMax || !/^[a-zA-Z][a-zA-Z0-9 _-]{0,40}$/.test(reason)) return 'other';
    reasons.add(reason);
    return reason;
  };
};

const protocolLabels = ({ protocols }: KnownNames) => bounded(protocols, ['document', 'none']);

const createInstruments = (registers: Registry[]) => ({
  requests: new Counter({
    name: 'triglyph_requests_total',
    help: 'Requests answered, by format, operation, version of the contract and outcome (ok or the problem).',
    labelNames: ['protocol', 'operation', 'version', 'outcome'],
    registers,
  }),
  durations: new Histogram({
    name: 'triglyph_request_duration_seconds',
    help: 'From the arrival of a head to the writing of its answer.',
    labelNames: ['protocol', 'operation'],
    buckets: bucketsSeconds,
    registers,
  }),
  decodeErrors: new Counter({
    name: 'triglyph_decode_errors_total',
    help: 'Requests that could not be read, by format and reason.',
    labelNames: ['protocol', 'reason'],
    registers,
  }),
});

/** What is told of requests with an Idempotency-Key, and of those outside who are asked for the sake of requests. */
const createOutsideInstruments = (registers: Registry[]) => ({
  replays: new Counter({
    name: 'triglyph_replays_total',
    help: 'Answers that were given before, found by their Idempotency-Key.',
    labelNames: ['protocol'],
    registers,
  }),
  weakKeys: new Counter({
    name: 'triglyph_weak_keys_total',
    help: 'Requests whose Idempotency-Key has fewer than 16 characters, so that two callers may choose the same.',
    registers,
  }),
  updaterEvents: new Counter({
    name: 'triglyph_updater_events_total',
    help: 'What happened at an updater outside, in checks where it is about checks: told, pending, malformed, refused, failed, skipped, down, up; of files written, stray, malformedRows, read, unreadable, overdue.',
    labelNames: ['kind'],
    registers,
  }),
  gateEvents: new Counter({
    name: 'triglyph_gate_events_total',
    help: 'What happened at the shared gate (Redis): up, down, failed commands, unreadable records.',
    labelNames: ['kind'],
    registers,
  }),
});

/** What becomes of webhooks. */
const createWebhookCounter = (registers: Registry[]) =>
  new Counter({
    name: 'triglyph_webhooks_total',
    help: 'Attempts to deliver a webhook, by outcome (accepted, refused, unreachable, late), and webhooks given up (givenUp).',
    labelNames: ['outcome'],
    registers,
  });

/** Looked at in the store, which is the same for all workers. */
const addWebhookGauges = (registers: Registry[], metrics: Metrics): void => {
  // A store that cannot answer leaves the gauges out and the other metrics in place.
  const backlog = () => metrics.webhooks?.().catch(() => undefined);
  new Gauge({
    name: 'triglyph_webhooks_oldest_due_seconds',
    help: 'How long the webhook that waits the longest has been due; 0 where none is.',
    aggregator: 'max',
    registers,
    async collect() {
      const found = await backlog();
      if (found === undefined) this.reset();
      else this.set((found.oldestDueMs ?? 0) / 1000);
    },
  });
  new Gauge({
    name: 'triglyph_webhooks_dead_letters',
    help: 'Webhooks that were given up, until triglyph webhooks retry has them delivered.',
    aggregator: 'max',
    registers,
    async collect() {
      const found = await backlog();
      if (found === undefined) this.reset();
      else this.set(found.deadLetters);
    },
  });
};

type Instruments = ReturnType<typeof createInstruments>;

/** Registers what is not counted but looked at, each time the metrics are asked for. */
const addGauges = (registers: Registry[], metrics: Metrics): void => {
  new Gauge({
    name: 'triglyph_connections',
    help: 'Open connections of callers.',
    registers,
    collect() {
      this.set(metrics.connections());
    },
  });
  new Gauge({
    name: 'triglyph_requests_in_flight',
    help: 'Requests that have begun and are not answered.',
    registers,
    collect() {
      this.set(metrics.inFlight);
    },
  });
  new Gauge({
    name: 'triglyph_gate_up',
    help: 'Whether the shared gate (Redis) answers: 1 or 0; absent where there is none.',
    // Of several workers: whether it answers all of them.
    aggregator: 'min',
    registers,
    collect() {
      if (metrics.gateUp !== undefined) this.set(metrics.gateUp() ? 1 : 0);
      else this.reset();
    },
  });
};

/**
 * Counts and times a request. prom-client sorts and joins the labels anew on each call, which costs more than the
 * counting: what it gives for a combination of names is kept. No name holds a blank, so joined they stay apart.
 */
const createCount = ({ requests, durations }: Instruments, names: KnownNames) => {
  const protocolLabel = protocolLabels(names);
  const operationLabel = bounded(names.operations);
  const versionLabel = bounded(names.versions);
  const outcomeLabel = bounded(Object.keys(problems), ['ok', 'notModified']);
  const counterOf = (account: Account): ((seconds: number) => void) => {
    const protocol = protocolLabel(account.protocol);
    const operation = operationLabel(account.operation);
    const version = versionLabel(account.version?.toString());
    const counted = requests.labels(protocol, operation, version, outcomeLabel(account.outcome));
    const timed = durations.labels(protocol, operation);
    return (seconds) => {
      counted.inc();
      timed.observe(seconds);
    };
  };
  const kept = new Map<string, (seconds: number) => void>();
  return (account: Account, seconds: number): void => {
    const { protocol, operation, version, outcome } = account;
    const names = `${protocol} ${operation} ${version} ${outcome}`;
    let count = kept.get(names);
    if (count === undefined) {
      count = counterOf(account);
      // Names are the program's, so there are few; should one ever be a caller's, it gets no place here.
      if (kept.size < keptMax) kept.set(names, count);
    }
    count(seconds);
  };
};

export const createMetrics = (names: KnownNames): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const instruments = createInstruments([registry]);
  const countRequest = createCount(instruments, names);
  const reasonLabel = createReasonLabel();
  const protocolLabel = protocolLabels(names);
  const outside = createOutsideInstruments([registry]);
  const webhooks = createWebhookCounter([registry]);
  const metrics: Metrics = {
    registry,
    inFlight: 0,
    connections: () => 0,
    gateEvent: (kind) => outside.gateEvents.inc({ kind }),
    updaterEvent: (kind, checks) => outside.updaterEvents.inc({ kind }, checks),
    webhookEvent: (outcome) => webhooks.inc({ outcome }),
    count: (account, seconds) => {
      countRequest(account, seconds);
      const { problem, protocol, replayed, weakKey } = account;
      if (replayed) outside.replays.inc({ protocol: protocolLabel(protocol) });
      if (weakKey) outside.weakKeys.inc();
      if (problem !== undefined && (undecoded.has(problem.status) || envelope.has(problem.problem))) {
        instruments.decodeErrors.inc({ protocol: protocolLabel(protocol), reason: reasonLabel(problem.reason) });
      }
    },
  };
  addGauges([registry], metrics);
  addWebhookGauges([registry], metrics);
  return metrics;
};

/** Of a worker: has its metrics added up by the primary. */
export const answerMetrics = (registry: Metrics['registry']): void => {
  AggregatorRegistry.setRegistries(registry);
  // Made for its listener: it is this that answers the primary.
  new AggregatorRegistry();
};

/** Of a primary: the metrics of all workers, added up. */
export const workersMetrics = (): Pick<Registry, 'contentType' | 'metrics'> => {
  const aggregator = new AggregatorRegistry();
  return { contentType: Registry.PROMETHEUS_CONTENT_TYPE, metrics: () => aggregator.clusterMetrics() };
};
