/** How requests are counted: labels come from names that the program knows, so they stay few. */
import { Counter, Histogram, type Registry } from 'prom-client';
import { problems } from '../../contract/problem.ts';
import type { LogEntry } from '../../gateway/answer.ts';

/** The names that may become labels; anything else is `other`. */
export interface KnownNames {
  readonly protocols: readonly string[];
  readonly operations: readonly string[];
  readonly versions: readonly number[];
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
});

type Instruments = ReturnType<typeof createInstruments>;

/** `seconds`: from the arrival of its head to the writing of its answer. */
export type CountRequest = (entry: LogEntry, seconds: number) => void;

/**
 * Counts and times a request. prom-client sorts and joins the labels anew on each call, which costs more than the
 * counting: what it gives for a combination of names is kept. No name holds a blank, so joined they stay apart.
 */
const createCount = ({ requests, durations }: Instruments, names: KnownNames): CountRequest => {
  const protocolLabel = protocolLabels(names);
  const operationLabel = bounded(names.operations);
  const versionLabel = bounded(names.versions);
  const outcomeLabel = bounded(Object.keys(problems), ['ok', 'notModified']);
  const counterOf = (entry: LogEntry): ((seconds: number) => void) => {
    const protocol = protocolLabel(entry.protocol);
    const operation = operationLabel(entry.operation);
    const version = versionLabel(entry.version?.toString());
    const counted = requests.labels(protocol, operation, version, outcomeLabel(entry.outcome));
    const timed = durations.labels(protocol, operation);
    return (seconds) => {
      counted.inc();
      timed.observe(seconds);
    };
  };
  const kept = new Map<string, (seconds: number) => void>();
  return (entry, seconds) => {
    const { protocol, operation, version, outcome } = entry;
    const names = `${protocol} ${operation} ${version} ${outcome}`;
    let count = kept.get(names);
    if (count === undefined) {
      count = counterOf(entry);
      // Names are the program's, so there are few; should one ever be a caller's, it gets no place here.
      if (kept.size < keptMax) kept.set(names, count);
    }
    count(seconds);
  };
};

export const createRequestCount = (registers: Registry[], names: KnownNames): CountRequest => {
  const instruments = createInstruments(registers);
  const countAnswer = createCount(instruments, names);
  const reasonLabel = createReasonLabel();
  const protocolLabel = protocolLabels(names);
  return (entry, seconds) => {
    countAnswer(entry, seconds);
    const { problem, protocol, replayed, weakKey } = entry;
    if (replayed) instruments.replays.inc({ protocol: protocolLabel(protocol) });
    if (weakKey) instruments.weakKeys.inc();
    if (problem !== undefined && (undecoded.has(problem.status) || envelope.has(problem.problem))) {
      instruments.decodeErrors.inc({ protocol: protocolLabel(protocol), reason: reasonLabel(problem.reason) });
    }
  };
};
