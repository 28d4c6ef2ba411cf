/** Opens the idempotency records of a gateway without a database, which only forwards. */
import { readFileSync } from 'node:fs';
import { type Config, keyFileIn } from '../config/index.ts';
import type { IdempotentStore } from '../core/idempotency/index.ts';
import type { Clock } from '../core/lib/index.ts';
import { createRedisCallers, type RedisCallers } from '../insight/index.ts';
import {
  createStatelessStore,
  type ReadTransaction,
  type StoreInspection,
  type UnsettledRequestRepository,
  type UnsettledRequests,
} from '../stores/index.ts';

/** Replaces the tables of idempotency records and pending requests. */
export interface ForeignRecords {
  readonly store: IdempotentStore<ReadTransaction>;
  /** Absent where nothing is stored. */
  readonly unsettled?: UnsettledRequests & Pick<UnsettledRequestRepository, 'findByRecordKey'>;
  readonly findRecord?: StoreInspection['findRecord'];
  /** Replaces the tables of callers and deprecations. Absent where nothing is stored. */
  readonly callers?: RedisCallers;
  /** The Redis that has them. */
  readonly redis?: {
    readonly client: object;
    readonly isUp: boolean;
    /** Bytes of the fullest master; `max` is 0 without a limit. Throws StoreUnavailable. */
    memory(): Promise<{ readonly used: number; readonly max: number }>;
    /** Replaces the listener for its outages. At first there is none. */
    listen(listener: (event: RedisEvent) => void): void;
  };
  /**
   * For upstreams that do not deduplicate: from now on `check` includes whether reservations outlive a crash, and `checkMarker` whether the store
   * is the one that this gateway knows. Throws NotDurable where they do not, and StoreUnavailable.
   */
  requireDurability(): Promise<void>;
  /** Callers are served from now on: without Redis, they get a refusal at once. */
  started?(): void;
  /** Rejects where requests with a key cannot be answered now. */
  check(): Promise<void>;
  /** Rejects where the store has lost records, or may have. Absent where nothing is stored. */
  checkMarker?(): Promise<void>;
  /** Whether the store has lost records, as far as it is known now. */
  readonly isLost?: boolean;
  /** Returns why the store is not the one that this gateway knows. Changes nothing. */
  findLoss?(): Promise<string | undefined>;
  /** Makes Redis the store, with what it has. Returns why it was not. Throws StoreUnavailable. */
  acceptLoss?(): Promise<string | undefined>;
  close(): Promise<void>;
}

export type RedisEvent =
  | { readonly kind: 'up' }
  | { readonly kind: 'down'; readonly reason: string }
  /** Whether it is the store that this gateway knows. */
  | { readonly kind: 'same' }
  | { readonly kind: 'settling' }
  | { readonly kind: 'lost'; readonly reason: string };

const stateless: ForeignRecords = Object.freeze<ForeignRecords>({
  store: createStatelessStore(),
  // Such an upstream is refused at the start.
  requireDurability: async () => {},
  check: async () => {},
  close: async () => {},
});

/** The records may be lost, and a request whose effect is there would be sent again. */
class NotDurable extends Error {
  override readonly name = 'NotDurable';
  /** Each with its correction. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.map((fault) => `REDIS_STORE_URL: ${fault}.`).join('\n'));
    this.faults = faults;
  }
}

const dayMs = 24 * 60 * 60 * 1000;

interface RecordsOptions {
  readonly clock: Clock;
  /** Gateways with the same one share callers and deprecations. */
  readonly scope: string;
  /** Whether the keys end with the process. Then nothing else of the store is remembered either. */
  readonly isTransient: boolean;
}

/** Returns undefined where there is a database. Throws StoreUnavailable, and a plain error for an invalid address. */
export async function openRecords(
  config: Config,
  { clock, scope, isTransient }: RecordsOptions,
): Promise<ForeignRecords | undefined> {
  const { redisStoreUrl, redisCaFile, redisStoreDays, redisStoreDurable, redisStoreReplicas } = config;
  if (config.stateless) return stateless;
  if (redisStoreUrl === undefined) return undefined;
  // Loaded on demand: a gateway with a database needs no client.
  const { RecordCommands, createRecordStore, inspectDurability } = await import('../stores/redis/index.ts');
  let listener: (event: RedisEvent) => void = () => {};
  let continuity: Extract<RedisEvent, { readonly kind: 'same' | 'settling' | 'lost' }> = { kind: 'same' };
  const keyFile = config.keyFile ?? keyFileIn(config.dataDir);
  const commands = new RecordCommands({
    url: redisStoreUrl,
    ca: redisCaFile === undefined ? undefined : readFileSync(redisCaFile, 'utf8'),
    clock,
    inspect: (client) =>
      inspectDurability(client, {
        url: redisStoreUrl,
        isAssumed: redisStoreDurable === 'assumed',
        replicas: redisStoreReplicas,
      }),
    onEvent: (event) => listener(event),
    marker: {
      isTransient,
      file: isTransient || keyFile === undefined ? undefined : `${keyFile}.redis-store`,
      onChange(now) {
        continuity = now;
        listener(now);
      },
    },
  });
  await commands.connected().catch(async (thrown) => {
    await commands.close();
    throw thrown;
  });
  let isDurabilityNeeded = false;
  const requireDurability = async (): Promise<void> => {
    const { faults } = await commands.durability();
    if (faults.length > 0) throw new NotDurable(faults);
  };
  const { unsettled, findRecord, ...store } = createRecordStore({ commands, lifeMs: redisStoreDays * dayMs });
  return Object.freeze<ForeignRecords>({
    store,
    unsettled,
    findRecord,
    callers: createRedisCallers({ commands, scope, lifeMs: config.callerDaysMax * dayMs, clock }),
    redis: {
      client: commands.client,
      get isUp() {
        return commands.isUp;
      },
      memory: () => commands.memory(),
      listen: (next) => {
        listener = next;
        if (continuity.kind !== 'same') next(continuity);
      },
    },
    async requireDurability() {
      isDurabilityNeeded = true;
      await requireDurability();
      await commands.watchMarker();
    },
    started: () => commands.started(),
    async check() {
      if (isDurabilityNeeded) await requireDurability();
      await commands.check();
    },
    async checkMarker() {
      if (isDurabilityNeeded) await commands.checkMarker();
    },
    get isLost() {
      return continuity.kind === 'lost';
    },
    findLoss: () => commands.findLoss(),
    acceptLoss: () => commands.acceptLoss(),
    close: () => commands.close(),
  });
}
