/** The strongroom: what is kept and the keys to it, opened for a server or for a command beside one. */

import type { HandlerContext } from '../gateway/handler.ts';
import type { RequestHasher } from '../idempotency/ports.ts';
import { createRequestHasher } from '../idempotency/request-hash.ts';
import type { JobQueue } from '../jobs/job.ts';
import { createJobNotifier, type JobNotifier } from '../jobs/notifier.ts';
import { clock } from '../lib/clock.ts';
import { ids } from '../lib/ids.ts';
import { isKnownTo } from '../services/balance-platform/payment-instruments/secrets.ts';
import { ResourceReader } from '../services/balance-platform/store/repository.ts';
import { createLocalUpdater } from '../services/recurring/account-updater/announced-changes.ts';
import type { BatchQueue } from '../services/recurring/account-updater/batch/queue.ts';
import { createUpdaterEvents, type UpdaterEvents } from '../services/recurring/account-updater/events.ts';
import { createHttpUpdater } from '../services/recurring/account-updater/http/updater.ts';
import { createBatchQueue } from '../services/recurring/account-updater/store/batch.ts';
import type { Updater } from '../services/recurring/account-updater/updater.ts';
import { DetailReader } from '../services/recurring/store/repository.ts';
import { createShopperCache } from '../services/recurring/store/shopper-cache.ts';
import { tables } from '../services/tables.ts';
import { webhookFormats } from '../services/webhook-formats.ts';
import { isHalfCopied } from '../store/sql/copy.ts';
import { createRegistry, type Registry } from '../store/sql/credential-registry.ts';
import type { Credentials } from '../store/sql/credentials.ts';
import { createCredentials } from '../store/sql/credentials.ts';
import { deleteExpiredRecords } from '../store/sql/idempotency-records.ts';
import { createJobs } from '../store/sql/jobs.ts';
import { createKeyRotation, type KeyRotation } from '../store/sql/key-rotation.ts';
import { compareSchema, migrate } from '../store/sql/migrate.ts';
import { createEndpoints } from '../store/sql/webhook-endpoints.ts';
import { createStore, type Store } from '../store/store.ts';
import { createWrapping } from '../vault/data-key.ts';
import { type KeyRing, KeyRingError, parseKeyRing } from '../vault/key-ring.ts';
import type { Vault } from '../vault/ports.ts';
import { createVault } from '../vault/vault.ts';
import type { EndpointStore } from '../webhooks/ports.ts';
import type { Config } from './config.ts';
import { describeStore, openStore, storeAddress } from './open-store.ts';

export interface Backend {
  readonly store: Store;
  readonly jobs: JobQueue;
  readonly batchQueue: BatchQueue;
  /** Tells what happens between this process and an updater outside. */
  readonly updaterEvents: UpdaterEvents;
  /** Rings for each job that `details` keeps. */
  readonly jobNotifier: JobNotifier;
  readonly endpoints: EndpointStore;
  readonly credentials: Credentials;
  readonly registry: Registry;
  readonly rotation: KeyRotation;
  readonly context: HandlerContext;
  readonly updater: Updater;
  readonly requestHasher: RequestHasher & { mac(text: string): string };
  /** Drops rows of the journal that are past their time; gives how many. */
  deleteExpiredRecords(): Promise<number>;
  close(): Promise<void>;
}

const updaterOf = (config: Config, vault: Vault, watch: UpdaterEvents): Updater => {
  const { updater, environment, updaterUrl: url, updaterSecret: secret, updaterMsMax: msMax } = config;
  switch (updater) {
    case 'rules':
      return createLocalUpdater(vault, { testCards: environment === 'test' });
    case 'http':
      if (url === undefined) throw new TypeError('an updater without an address');
      return createHttpUpdater({ url, secret, msMax }, { clock, vault, events: watch });
    case 'batch':
      return Object.freeze<Updater>({ kind: 'batch' });
    default:
      return updater satisfies never;
  }
};

/** The keys that the configuration names. Throws KeyRingError, also where it names none. */
const keysOf = ({ keys }: Pick<Config, 'keys'>): KeyRing => {
  if (keys === undefined) throw new KeyRingError('there are no keys: name a key file in KEY_FILE');
  return parseKeyRing(keys);
};

/** Whether the vault opens a stored detail, and has the same alias for its number. */
const knowsDetail = (sample: Awaited<ReturnType<DetailReader['findSample']>>, vault: Vault): boolean => {
  if (sample === undefined) return true;
  const { company, detail } = sample;
  const { recurringDetailReference, sealed, open } = detail;
  const part = sealed.number === undefined ? 'shown' : 'number';
  const clear = vault.open({ company, record: recurringDetailReference }, sealed, part);
  // Under another index key every card would be new, and be kept twice.
  return part === 'shown' || open.alias === vault.alias(company, clear);
};

const knowsInstrument = (sample: Awaited<ReturnType<ResourceReader['findInstrumentSample']>>, vault: Vault): boolean =>
  sample === undefined || isKnownTo(sample, vault);

/** Throws KeyRingError where the keys are not those that the data was sealed and fingerprinted under. */
const proveKeys = async ({ store, context: { vault } }: Pick<Backend, 'store' | 'context'>, place: string) => {
  const detail = await store.read((tx) => tx.repository(DetailReader).findSample());
  const instrument = await store.read((tx) => tx.repository(ResourceReader).findInstrumentSample());
  const message = `the keys do not open what is stored in ${place}: name the key file that it was made with`;
  let proven = false;
  try {
    proven = knowsDetail(detail, vault) && knowsInstrument(instrument, vault);
  } catch (thrown) {
    throw new KeyRingError(message, { cause: thrown });
  }
  if (!proven) throw new KeyRingError(message);
};

/**
 * Opens the store and tests the keys on its data. `exclusive`: for servers; migrates the store, and is refused while another
 * process serves. Otherwise the store must exist with the current schema: a command changes neither.
 * The keys are those of the configuration, proven on what is stored; others, where given, are taken as they are.
 * Throws StoreUnavailable, KeyRingError, or a plain error where another process serves.
 */
export const openBackend = async (
  config: Config,
  { exclusive, keys }: { readonly exclusive: boolean; readonly keys?: KeyRing },
): Promise<Backend> => {
  const ring = keys ?? keysOf(config);
  const address = storeAddress(config);
  const engine = await openStore(address, { exclusive, create: exclusive });
  const vault = createVault(ring);
  const jobNotifier = createJobNotifier();
  const updaterEvents = createUpdaterEvents();
  const shopperCache = createShopperCache(engine, config.rememberedBytesMax);
  const store = createStore(engine, {
    shared: shopperCache === undefined ? [webhookFormats] : [webhookFormats, shopperCache],
    onJobSaved: jobNotifier.notify,
  });
  const backend: Backend = Object.freeze({
    store,
    jobs: createJobs(engine),
    batchQueue: createBatchQueue(store),
    updaterEvents,
    jobNotifier,
    endpoints: createEndpoints(engine),
    credentials: createCredentials(engine, ring.pepper, clock),
    registry: createRegistry(engine, ring.pepper, clock),
    rotation: createKeyRotation(engine, createWrapping(ring), tables),
    context: Object.freeze<HandlerContext>({ clock, ids, vault }),
    updater: updaterOf(config, vault, updaterEvents),
    requestHasher: createRequestHasher(ring.index, config.environment),
    deleteExpiredRecords: () => deleteExpiredRecords(engine),
    close: () => engine.close(),
  });
  try {
    await (exclusive ? migrate(engine) : compareSchema(engine));
    if (await isHalfCopied(engine))
      throw new Error(
        `${describeStore(address)} holds a copy that has not ended: run the same \`triglyph copy\` again`,
      );
    if (keys === undefined) await proveKeys(backend, describeStore(address));
    if (exclusive) await backend.batchQueue.begin(backend.updater.kind);
    return backend;
  } catch (thrown) {
    await engine.close();
    throw thrown;
  }
};
