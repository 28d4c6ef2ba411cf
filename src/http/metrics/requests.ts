/** Counts requests. Label values come from names that the program knows, so their number is bounded. */

import { Counter, Histogram, type Registry } from 'prom-client';
import type { LogEntry, RequestObserver } from '../../core/gateway/index.ts';
import { BoundedMap } from '../../core/lib/index.ts';

/** The names that may become label values; any other is counted as `other`. */
export interface KnownNames {
  readonly protocols: readonly string[];
  readonly operations: readonly string[];
  readonly versions: readonly number[];
  readonly problems: readonly string[];
}

const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Reasons are texts of the program. The limit holds in case one ever contains text of a caller. */
const reasonsMax = 100;

/** How many combinations of names have their counters cached. */
const cachedMax = 1000;

/** Statuses of requests that could not be decoded. */
const decodeStatuses: ReadonlySet<number> = new Set([400, 408, 413, 415]);
/** SOAP faults of the envelope, whose status does not say it. */
const envelopeProblems: ReadonlySet<string> = new Set(['mustUnderstand', 'versionMismatch']);

export function createRequestCounter(registers: Registry[], names: KnownNames): CountRequest {
  const instruments = createInstruments(registers);
  const countAnswer = createCount(instruments, names);
  const reasonLabel = createReasonLabel();
  const protocolLabel = protocolLabels(names);
  return (entry, seconds) => {
    countAnswer(entry, seconds);
    const { problem, protocol, replayed, weakKey, deprecation, leniencies = [] } = entry;
    if (replayed) instruments.replays.inc({ protocol: protocolLabel(protocol) });
    if (weakKey) instruments.weakKeys.inc();
    if (deprecation !== undefined) instruments.deprecated.inc({ protocol: protocolLabel(protocol), kind: deprecation });
    for (const leniency of leniencies) instruments.lenient.inc({ protocol: protocolLabel(protocol), leniency });
    if (problem !== undefined && (decodeStatuses.has(problem.status) || envelopeProblems.has(problem.problem))) {
      instruments.decodeErrors.inc({ protocol: protocolLabel(protocol), reason: reasonLabel(problem.reason) });
    }
  };
}

/** Returns `other` for a name that is not known, and `none` for no name. */
function boundedLabel(names: readonly (string | number)[], extra: readonly string[] = []) {
  const known = new Set([...names.map(String), ...extra]);
  return (name: string | undefined): string => {
    if (name === undefined) return 'none';
    return known.has(name) ? name : 'other';
  };
}

/** A reason is a label value while there are few of them and it looks like a name. */
function createReasonLabel(): (reason: string) => string {
  const reasons = new Set<string>();
  return (reason) => {
    if (reasons.has(reason)) return reason;
    if (reasons.size >= reasonsMax || !/^[a-zA-Z][a-zA-Z0-9 _-]{0,40}$/.test(reason)) return 'other';
    reasons.add(reason);
    return reason;
  };
}

function protocolLabels({ protocols }: KnownNames) {
  return boundedLabel(protocols, ['document', 'none']);
}

function createInstruments(registers: Registry[]) {
  return {
    requests: new Counter({
      name: 'triglyph_requests_total',
      help: 'Requests answered, by format, operation, version of the contract and outcome (ok or the problem).',
      labelNames: ['protocol', 'operation', 'version', 'outcome'],
      registers,
    }),
    durations: new Histogram({
      name: 'triglyph_request_duration_seconds',
      help: 'Time from the arrival of the head to the writing of the response.',
      labelNames: ['protocol', 'operation'],
      buckets: bucketsSeconds,
      registers,
    }),
    decodeErrors: new Counter({
      name: 'triglyph_decode_errors_total',
      help: 'Requests that could not be decoded, by format and reason.',
      labelNames: ['protocol', 'reason'],
      registers,
    }),
    replays: new Counter({
      name: 'triglyph_replays_total',
      help: 'Responses repeated for an Idempotency-Key that was used before.',
      labelNames: ['protocol'],
      registers,
    }),
    deprecated: new Counter({
      name: 'triglyph_deprecated_requests_total',
      help: 'Requests that are deprecated, by format and kind: announced (served), refused (in a brown-out, or after the sunset), exempt.',
      labelNames: ['protocol', 'kind'],
      registers,
    }),
    lenient: new Counter({
      name: 'triglyph_lenient_requests_total',
      help: 'Requests that are read by a leniency, by format and leniency. Without any of one, LENIENCIES_OFF may name it.',
      labelNames: ['protocol', 'leniency'],
      registers,
    }),
    weakKeys: new Counter({
      name: 'triglyph_weak_keys_total',
      help: 'Requests whose Idempotency-Key has fewer than 16 characters, so that two callers may choose the same one.',
      registers,
    }),
  };
}

/** Counts each request when it arrives and when it is answered. */
export function createMetricsObserver(metrics: {
  inFlight: number;
  readonly count: CountRequest;
}): Required<Pick<RequestObserver, 'started' | 'answered'>> {
  return {
    started() {
      metrics.inFlight += 1;
    },
    answered(_request, { entry }, { ms }) {
      metrics.inFlight -= 1;
      metrics.count(entry, ms / 1000);
    },
  };
}

type Instruments = ReturnType<typeof createInstruments>;

/** `seconds`: from the arrival of the head to the writing of the response. */
export type CountRequest = (entry: LogEntry, seconds: number) => void;

/**
 * Counts and times a request. prom-client sorts and joins the labels on each call, which costs more than the counting, so
 * its counters are cached by combination of names. No name contains a blank, so the joined names are unambiguous.
 */
function createCount({ requests, durations }: Instruments, names: KnownNames): CountRequest {
  const protocolLabel = protocolLabels(names);
  const operationLabel = boundedLabel(names.operations);
  const versionLabel = boundedLabel(names.versions);
  const outcomeLabel = boundedLabel(names.problems, ['ok', 'notModified']);
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
  // The names are texts of the program. The limit holds in case one ever is text of a caller.
  const cached = new BoundedMap<string, (seconds: number) => void>(cachedMax);
  return (entry, seconds) => {
    const { protocol, operation, version, outcome } = entry;
    const names = `${protocol} ${operation} ${version} ${outcome}`;
    cached.getOrCreate(names, () => counterOf(entry))(seconds);
  };
}
