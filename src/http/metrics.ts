/** The metrics, and how a request is counted: labels come from names that the program knows, so they stay few. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
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
}

/** What is counted for one combination of labels. */
interface Cell {
  inc(): void;
  observe(seconds: number): void;
}

const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Reasons come from the readers' own texts; the cap holds should one ever carry more. */
const reasonsMax = 100;

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

const reach = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
};

export const createMetrics = (names: KnownNames): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'triglyph_requests_total',
    help: 'Requests answered, by format, operation, version of the contract and outcome (ok or the problem).',
    labelNames: ['protocol', 'operation', 'version', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'triglyph_request_duration_seconds',
    help: 'From the arrival of a head to the writing of its answer.',
    labelNames: ['protocol', 'operation'],
    buckets: bucketsSeconds,
    registers,
  });
  const decodeErrors = new Counter({
    name: 'triglyph_decode_errors_total',
    help: 'Requests that could not be read, by format and reason.',
    labelNames: ['protocol', 'reason'],
    registers,
  });
  const metrics: Metrics = { registry, count, inFlight: 0, connections: () => 0 };
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

  const protocolLabel = bounded(names.protocols, ['document', 'none']);
  const operationLabel = bounded(names.operations);
  const versionLabel = bounded(names.versions);
  const outcomeLabel = bounded(Object.keys(problems), ['ok', 'notModified']);
  const reasons = new Set<string>();
  const reasonLabel = (reason: string): string => {
    if (reasons.has(reason)) return reason;
    if (reasons.size >= reasonsMax || !/^[a-zA-Z][a-zA-Z0-9 _-]{0,40}$/.test(reason)) return 'other';
    reasons.add(reason);
    return reason;
  };

  const cells = new Map<string, Map<string, Map<number | undefined, Map<string, Cell>>>>();
  const makeCell = (protocol: string, operation: string, version: number | undefined, outcome: string): Cell => {
    const counted = requests.labels(protocol, operation, versionLabel(version?.toString()), outcome);
    const timed = durations.labels(protocol, operation);
    return { inc: () => counted.inc(), observe: (seconds) => timed.observe(seconds) };
  };
  const known = new Set(names.versions);

  function count(account: Account, seconds: number): void {
    const protocol = protocolLabel(account.protocol);
    const operation = operationLabel(account.operation);
    const outcome = outcomeLabel(account.outcome);
    // Minus one: a version nobody serves.
    const version = account.version === undefined || known.has(account.version) ? account.version : -1;
    const versions = reach(
      reach(cells, protocol, () => new Map()),
      operation,
      () => new Map(),
    );
    const outcomes = reach(versions, version, () => new Map<string, Cell>());
    const cell = reach(outcomes, outcome, () => makeCell(protocol, operation, version, outcome));
    cell.inc();
    cell.observe(seconds);
    const { problem } = account;
    if (problem !== undefined && (undecoded.has(problem.status) || envelope.has(problem.problem))) {
      decodeErrors.inc({ protocol, reason: reasonLabel(problem.reason) });
    }
  }
  return metrics;
};
