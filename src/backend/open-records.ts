/** Opens the idempotency records of a gateway without a database, which only forwards. */
import { readFileSync } from 'node:fs';
import type { RedisCallers } from '../callers/redis/open.ts';
import type { Config } from '../config/config.ts';
import type { IdempotentStore } from '../idempotency/ports.ts';
import type { Clock } from '../lib/clock-and-ids.ts';
import type { StoreInspection } from '../store/sql/inspection.ts';
import type { UnsettledRequestRepository, UnsettledRequests } from '../store/sql/unsettled-requests.ts';
import { createStatelessStore } from '../store/stateless.ts';
import type { ReadTransaction } from '../store/transaction.ts';

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
    /** Replaces the listener for its outages. At first there is none. */
    listen(listener: (event: RedisEvent) => void): void;
  };
  /** From now on `check` includes whether reservations outlive a crash. Throws NotDurable where they do not, and StoreUnavailable. */
  requireDurability(): Promise<void>;
  /** Rejects where requests with a key cannot be answered now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export type RedisEvent = { readonly kind: 'up' } | { readonly kind: 'down'; readonly reason: string };

const stateless: ForeignRecords = Object.freeze<ForeignRecords>({
  store: createStatelessStore(),
  // Such an upstream is refused at the start.
  requireDurability: async () => {},
  check: async () => {},
  close: async () => {},
});

/** The records may be lost, and a request whose effect is there would be sent again. */
export class NotDurable extends Error {
  override readonly name = 'NotDurable';
  /** Each with its correction. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.map((fault) => `REDIS_STORE_URL: ${fault}.`).join('\n'));
    this.faults = faults;
  }
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns undefined where there is a database. `scope`: gateways with the same one share callers and deprecations. Throws StoreUnavailable, and
 * a plain error for an invalid address.
 */
export async function openRecords(
  config: Config,
  { clock, scope }: { readonly clock: Clock; readonly scope: string },
): Promise<ForeignRecords | undefined> {
  const { redisStoreUrl, redisCaFile, redisStoreDays, redisStoreDurable, redisStoreReplicas } = config;
  if (config.stateless) return stateless;
  if (redisStoreUrl === undefined) return undefined;
  // Loaded on demand: a gateway with a database needs no client.
  const [{ RecordCommands }, { createRecordStore }, { inspectDurability }, { createRedisCallers }] = await Promise.all([
    import('../store/redis/record-commands.ts'),
    import('../store/redis/record-store.ts'),
    import('../store/redis/durability.ts'),
    import('../callers/redis/open.ts'),
  ]);
  let listener: (event: RedisEvent) => void = () => {};
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
      listen: (next) => {
        listener = next;
      },
    },
    async requireDurability() {
      isDurabilityNeeded = true;
      await requireDurability();
    },
    check: () => (isDurabilityNeeded ? requireDurability() : commands.check()),
    close: () => commands.close(),
  });
}
