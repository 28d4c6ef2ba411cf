/** Gauges: values that are read each time the metrics are collected. */
import { Gauge, type Registry } from 'prom-client';

/** Where the gauges read. The application fills in the optional parts. */
export interface ObservedState {
  /** Requests that have begun and are not answered. */
  inFlight: number;
  connections: () => number;
  /** Requests that wait for their turn. Absent where none do. */
  waitingForTurn?: () => number;
  /** The temporary files of large values, and the bytes in them. Absent where values stay in memory. */
  temporaryFiles?: { readonly files: number; readonly bytes: number };
  /** Whether Redis answers. Absent if no Redis is configured. */
  redisUp?: () => boolean;
  /** The memory of a Redis that is the store, in bytes; `max` is 0 without a limit. Absent otherwise. */
  redisMemory?: () => Promise<{ readonly used: number; readonly max: number }>;
  /** Whether a Redis that is the store has lost records. Absent otherwise. */
  recordsLost?: () => boolean;
  /** Whether the key management service gives keys. Absent if no such service is configured. */
  kmsUp?: () => Promise<boolean>;
  webhooks?: {
    /** Undefined if no webhook is due. */
    oldestWaitingMs(): Promise<number | undefined>;
    countDeadLetters(): Promise<number>;
  };
  /** When the certificate of the server ends, in milliseconds since the epoch. Absent if it has none. */
  certificateExpiresAt?: () => number;
  credentials?: {
    /** The next expiry of a credential, in milliseconds since the epoch. Undefined if none expires. */
    findNextExpiry(): Promise<number | undefined>;
  };
  /**
   * When the first of the stored idempotency records expires, in milliseconds since the epoch. Absent until the first clean-up, and
   * where there is none.
   */
  oldestRecordExpiry?: number | undefined;
  /** Whether nothing is deleted by time, since a clock was set by days. */
  deletionPaused?: boolean;
  /** The stored deprecations that the process cannot apply. */
  invalidDeprecations?: () => number;
  /** Requests that were forwarded to another server. */
  unsettled?: { countUnknown(): Promise<number> };
}

/** Called when a gauge cannot be read, once until it can be read again. */
export type CollectionFailed = (thrown: unknown, gauge: string) => void;

interface Source {
  readonly name: string;
  readonly help: string;
  /** How the primary combines the values of its workers; by default it adds them. */
  readonly aggregator?: 'sum' | 'min' | 'max';
  /** The gauge is absent while its value is undefined, and when reading it fails. */
  value(): number | undefined | Promise<number | undefined>;
}

export function addGauges(registers: Registry[], state: ObservedState, onFailure: CollectionFailed): void {
  for (const source of sourcesOf(state)) addGauge(registers, source, onFailure);
}

function addGauge(registers: Registry[], { value, ...about }: Source, onFailure: CollectionFailed): void {
  let failing = false;
  /** A store that does not answer costs its own gauges and not the other metrics. */
  const read = async (): Promise<number | undefined> => {
    try {
      const found = await value();
      failing = false;
      return found;
    } catch (thrown) {
      if (!failing) onFailure(thrown, about.name);
      failing = true;
      return undefined;
    }
  };
  new Gauge({
    ...about,
    registers,
    async collect() {
      const found = await read();
      // Not reset(), which sets a gauge without labels to 0.
      if (found === undefined) this.remove({});
      else this.set(found);
    },
  });
}

function sourcesOf(state: ObservedState): readonly Source[] {
  return [...ownSources(state), ...sharedSources(state)];
}

/** Of this process. */
function ownSources(state: ObservedState): readonly Source[] {
  return [
    { name: 'triglyph_connections', help: 'Open connections of callers.', value: () => state.connections() },
    {
      name: 'triglyph_requests_in_flight',
      help: 'Requests that have begun and are not answered.',
      value: () => state.inFlight,
    },
    {
      name: 'triglyph_requests_waiting',
      help: 'Requests that wait for their turn, behind others; absent if no request ever waits.',
      value: () => state.waitingForTurn?.(),
    },
    {
      name: 'triglyph_temporary_files',
      help: 'Temporary files with large values now; absent if values stay in memory.',
      value: () => state.temporaryFiles?.files,
    },
    {
      name: 'triglyph_temporary_file_bytes',
      help: 'Bytes in the temporary files of large values now, at most SPOOL_BYTES_MAX; absent if values stay in memory.',
      value: () => state.temporaryFiles?.bytes,
    },
    {
      name: 'triglyph_redis_up',
      help: 'Whether Redis answers, 1 or 0; absent if no Redis is configured.',
      // 0 if one worker cannot reach it.
      aggregator: 'min',
      value: () => state.redisUp && Number(state.redisUp()),
    },
    {
      name: 'triglyph_redis_memory_bytes',
      help: 'Memory that the store in Redis uses, at its fullest master; absent with a database, or if Redis does not answer.',
      aggregator: 'max',
      value: async () => (await state.redisMemory?.())?.used,
    },
    {
      name: 'triglyph_redis_memory_max_bytes',
      help: 'Memory that this master may use (maxmemory); absent without a limit.',
      aggregator: 'max',
      value: async () => (await state.redisMemory?.())?.max || undefined,
    },
    {
      name: 'triglyph_records_lost',
      help: 'Whether the store in Redis has lost records, 1 or 0, until "triglyph records accept-loss"; absent with a database.',
      aggregator: 'max',
      value: () => state.recordsLost && Number(state.recordsLost()),
    },
    {
      name: 'triglyph_kms_up',
      help: 'Whether the key management service unwraps keys, 1 or 0; absent if none is configured.',
      aggregator: 'min',
      value: async () => state.kmsUp && Number(await state.kmsUp()),
    },
    {
      name: 'triglyph_tls_certificate_expiry_timestamp_seconds',
      help: 'When the TLS certificate of the server ends, in seconds since the epoch; absent if it has none.',
      aggregator: 'min',
      value: () => state.certificateExpiresAt && state.certificateExpiresAt() / 1000,
    },
  ];
}

/** All workers read these from the same store. */
function sharedSources(state: ObservedState): readonly Source[] {
  return [
    {
      name: 'triglyph_credential_expiry_timestamp_seconds',
      help: 'When the next credential expires, in seconds since the epoch; absent if none does, or the store does not answer.',
      aggregator: 'min',
      value: async () => {
        const next = await state.credentials?.findNextExpiry();
        return next && next / 1000;
      },
    },
    {
      name: 'triglyph_deprecations_invalid',
      help: 'The stored deprecations that do not hold, since this release cannot apply them.',
      aggregator: 'max',
      value: () => state.invalidDeprecations?.(),
    },
    {
      name: 'triglyph_expired_records_oldest_seconds',
      help: 'How long ago the first of the stored idempotency records expired, as the last clean-up found it; absent if there is none.',
      aggregator: 'max',
      value: () => state.oldestRecordExpiry && Math.max(Date.now() - state.oldestRecordExpiry, 0) / 1000,
    },
    {
      name: 'triglyph_deletion_paused',
      help: 'Whether nothing is deleted by time, since a clock was set by days while the server ran, 1 or 0.',
      aggregator: 'max',
      value: () => Number(state.deletionPaused ?? false),
    },
    {
      name: 'triglyph_webhooks_oldest_due_seconds',
      help: 'The age of the oldest event that was not delivered and is no dead letter; 0 if there is none, absent if the store does not answer.',
      aggregator: 'max',
      value: async () => state.webhooks && ((await state.webhooks.oldestWaitingMs()) ?? 0) / 1000,
    },
    {
      name: 'triglyph_webhooks_dead_letters',
      help: 'Webhooks that failed for good, until "triglyph webhooks retry" sends them again; absent if the store does not answer.',
      aggregator: 'max',
      value: () => state.webhooks?.countDeadLetters(),
    },
    {
      name: 'triglyph_pending_unknown',
      help: 'Requests to another server whose outcome is unknown, until "triglyph pending settle"; absent if the store does not answer.',
      aggregator: 'max',
      value: () => state.unsettled?.countUnknown(),
    },
  ];
}
