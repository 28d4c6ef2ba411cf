/** The backend of servers and commands: the store, the keys, and everything built on the two. */
import { hostname } from 'node:os';
import {
  type AuditActor,
  type AuditLog,
  createAuditCopy,
  createAuditedWrite,
  createAuditTrail,
  createCredentialRegistry,
  createCredentials,
  createCredentialUses,
  createForwardedAuthenticator,
  createLimitCounts,
  createLimits,
  createLiveCredentials,
  createSecondFactors,
  createUpstreamCredentialStore,
  findCredentialsOfOtherPeppers,
  gatewayActor,
  noAuditTrail,
  openEntryWriter,
  pepperKeys,
  StoredAuditLog,
  writeUnaudited,
} from '../access/index.ts';
import { type Config, hasDatabase } from '../config/index.ts';
import type { HandlerContext } from '../core/gateway/index.ts';
import { createRequestHasher, type IdempotentStore } from '../core/idempotency/index.ts';
import { type Clock, clock, ids, monotonicClock } from '../core/lib/index.ts';
import {
  createVault,
  createWrapping,
  deriveKey,
  fingerprintOf,
  type KeyProvider,
  type KeyRing,
  KeyRingError,
  SealBroken,
  VaultUnavailable,
} from '../core/vault/index.ts';
import { createComparisons } from '../forward/index.ts';
import {
  createCallerOwners,
  createCallerRecords,
  createDeprecationStore,
  createLastRequests,
} from '../insight/index.ts';
import {
  type CleanUpOptions,
  compareSchema,
  createEndpoints,
  createInspection,
  createJobs,
  createKeyRotation,
  createStore,
  createUnsettledRequests,
  createWriteCheck,
  deleteExpiredRecords,
  type Engine,
  findWrongRows,
  isHalfCopied,
  loadIntegrity,
  migrate,
  noDatabase,
  type ReadTransaction,
  RowIntegrity,
  type ShrinkOptions,
  StoreUnavailable,
  signWrongRows,
  type WrongRow,
  wrongPagesOf,
} from '../stores/index.ts';
import { createJobNotifier } from '../stores/jobs/index.ts';
import { type ClockCheck, createClockCheck, noClockCheck } from './clock-check.ts';
import {
  composeServices,
  credentialRulesOf,
  ownersOf,
  type Services,
  sharedObjectsOf,
  webhookFormatsOf,
} from './compose-services.ts';
import type { GatewayService } from './define-service.ts';
import { createIndexRotation } from './index-rotation.ts';
import { keyProviderOf, readKeys } from './key-provider.ts';
import { type ForeignRecords, openRecords } from './open-records.ts';
import { describeStore, openStore, storeAddress } from './open-store.ts';
import { createShadowStore } from './shadow/store.ts';

export type Backend = ReturnType<typeof createBackend>;

export interface BackendOptions {
  /**
   * For servers: migrates the store, and fails while another process serves from the folder. Otherwise the store must exist
   * with the current schema, for commands change neither.
   */
  readonly exclusive: boolean;
  /** Replaces the keys of the configuration. They are not checked on the stored data. */
  readonly keys?: KeyRing;
  /** Replaces the store of the configuration. */
  readonly open?: () => Promise<Engine>;
  /** Who the effects of this process are recorded for; the gateway by default. */
  readonly actor?: AuditActor;
  /** Whether the clock may be far from the last time that a server has recorded; false by default. */
  readonly acceptsClock?: boolean;
  /** Replaces the clock of the machine and its random identifiers. */
  readonly context?: Pick<HandlerContext, 'clock' | 'ids'>;
}

/** Throws StoreUnavailable, KeyRingError, KmsUnavailable, or a plain error that says what to do. */
export async function openBackend(
  config: Config,
  { exclusive, keys, open, actor = gatewayActor, acceptsClock = false, context }: BackendOptions,
  services: readonly GatewayService[],
): Promise<Backend> {
  const keyProvider = keyProviderOf(config);
  const ring = keys ?? (await readKeys(config, keyProvider));
  const address = storeAddress(config);
  const isInMemory = !hasDatabase(config);
  const engine = await (open?.() ?? openStore(address, { exclusive, create: exclusive }));
  const hasTables = engine !== noDatabase;
  let records: ForeignRecords | undefined;
  try {
    const owners = ownersOf(services);
    const place = describeStore(address);
    if (hasTables) {
      await (exclusive || isInMemory ? migrate(engine, owners) : compareSchema(engine, owners));
      if (await isHalfCopied(engine))
        throw new Error(`${place} holds an unfinished copy: run the same \`triglyph copy\` again`);
    }
    const daysMax = config.clockDaysMax;
    if (isInMemory && ring.otherIndex !== undefined)
      throw new KeyRingError(
        `${place} takes no second index key: serve with one, and change it when its records have expired`,
      );
    const scope = fingerprintOf(deriveKey(ring.index, 'callers'), config.environment);
    const isTransient = keys !== undefined || (open !== undefined && config.keyFile === undefined);
    records = await openRecords(config, { clock: context?.clock ?? clock, scope, isTransient });
    const isClockChecked = context === undefined && !isInMemory;
    const clockCheck = isClockChecked ? createClockCheck({ engine, clock, daysMax, place }) : noClockCheck;
    // The clock of the machine may be set. One that replaces it is set on purpose.
    const limitClock = context?.clock ?? monotonicClock;
    const parts = { engine, records, ring, keyProvider, actor, clockCheck, limitClock, ...(context ?? { clock, ids }) };
    if (exclusive) await clockCheck.start(acceptsClock);
    const backend = createBackend(services, config, parts);
    if (keys === undefined) await checkKeys(backend.services, place);
    await loadRowMacs(backend, { create: exclusive || isInMemory, isChecked: keys === undefined });
    if (exclusive) await backend.services.prepare(backend.registry);
    return backend;
  } catch (thrown) {
    await records?.close();
    await engine.close();
    throw thrown;
  }
}

interface BackendParts extends Pick<HandlerContext, 'clock' | 'ids'> {
  readonly engine: Engine;
  readonly records: ForeignRecords | undefined;
  readonly ring: KeyRing;
  readonly keyProvider: KeyProvider;
  readonly actor: AuditActor;
  readonly clockCheck: ClockCheck;
  /** Measures windows and locks. */
  readonly limitClock: Clock;
}

function createBackend(
  given: readonly GatewayService[],
  config: Config,
  { engine, records, ring, keyProvider, actor, clockCheck, limitClock, clock, ids }: BackendParts,
) {
  const hasTables = engine !== noDatabase;
  const jobNotifier = createJobNotifier();
  const credentialUses = createCredentialUses(engine);
  const integrity = new RowIntegrity();
  const webhookFormats = webhookFormatsOf(given);
  const shared = [webhookFormats, ...sharedObjectsOf(given, engine, config), integrity];
  const store = createStore(engine, { shared, onJobSaved: jobNotifier.notify });
  const context: HandlerContext = Object.freeze({ clock, ids, vault: createVault(ring) });
  const tables = ownersOf(given).flatMap((owner) => owner.tables);
  const processName = `${hostname()} ${process.pid}`;
  const auditLog: AuditLog = new StoredAuditLog({ engine, vault: context.vault, clock, process: processName, tables });
  if (config.audit) integrity.pin(auditLog.pin);
  const auditCopy =
    config.audit && config.auditLog !== undefined
      ? createAuditCopy({
          ...{ engine, log: auditLog, integrity, owner: processName },
          writer: openEntryWriter(config.auditLog),
        })
      : undefined;
  const audit = config.audit ? createAuditTrail({ append: auditLog.append, clock }) : noAuditTrail;
  const limitKey = deriveKey(ring.index, 'limits');
  const limitCounts = createLimitCounts(engine, { clock: limitClock });
  const limits = createLimits(limitClock, (text) => fingerprintOf(limitKey, text), hasTables ? limitCounts : undefined);
  const auditedWrite = config.audit ? createAuditedWrite({ engine, log: auditLog, clock, actor }) : undefined;
  const services = composeServices(given, webhookFormats, { engine, store, context, limits, integrity, config });
  const rules = credentialRulesOf(given);
  const signed = { engine, integrity, tables };
  const requestStore: IdempotentStore<ReadTransaction> = records?.store ?? store;
  const callers = records?.callers;
  return Object.freeze({
    store,
    /** Where idempotency records and pending requests are. */
    requestStore,
    /** Those of a gateway without a database. */
    records,
    /** Whether callers and deprecations outlive the process. */
    storesCallers: records === undefined || callers !== undefined,
    /** False for a gateway without a database that writes no audit log: it has no tables to clean up, and no jobs. */
    hasTables,
    context,
    keyProvider,
    services,
    limits,
    jobs: createJobs(engine),
    /** Announces each kind of job that a committed transaction of this process has saved. */
    jobNotifier,
    endpoints: createEndpoints(engine, integrity),
    upstreamCredentials: createUpstreamCredentialStore(engine),
    /** The second factors of people at the console. */
    secondFactors: createSecondFactors({
      ...{ engine, clock, vault: context.vault, write: auditedWrite ?? writeUnaudited(engine) },
    }),
    credentials: createCredentials(engine, ring.pepper, clock, credentialUses.record, ring.otherPepper, integrity),
    /** Finds credentials for sessions, which present no secret. */
    liveCredentials: createLiveCredentials(engine, clock, integrity),
    credentialUses,
    /** Tells callers apart whose credentials only an upstream knows. */
    forwarded: createForwardedAuthenticator(ring.index, ring.otherIndex?.key),
    registry: createCredentialRegistry(engine, ring.pepper, clock, rules, auditedWrite, integrity),
    /** Those of the engine and of the services. */
    tables,
    /** What the services declare about credentials. */
    credentialRules: rules,
    integrity,
    /** Loads the keys of the row MACs, and makes them in a store without. */
    loadIntegrity: async (options: { readonly create: boolean }): Promise<void> => {
      if (hasTables) await loadIntegrity(engine, context.vault, integrity, options);
    },
    /** Compares all MACs. Returns at most `max` rows whose MAC is wrong or missing. */
    findWrongRows: (max?: number) => findWrongRows(signed, max),
    /** The same, page by page. */
    wrongPages: () => wrongPagesOf(signed),
    /** Signs the rows whose MAC is wrong or missing and that `accepts` returns true for. Returns their number. */
    signRows: (accepts: (row: WrongRow) => boolean) => signWrongRows(signed, accepts),
    /** The rotation of the pepper: each secret moves when it is used. */
    pepperRotation: {
      /** Of the second pepper; undefined where there is one. */
      state: ring.otherPepper?.state,
      /** The credentials with secrets that the current pepper does not verify. */
      findCredentials: () => findCredentialsOfOtherPeppers(engine, pepperKeys(ring.pepper), clock),
    },
    indexRotation: createIndexRotation({ engine, store, vault: context.vault }, tables, ring.otherIndex?.state),
    rotation: createKeyRotation(engine, createWrapping(ring), tables),
    callerRecords: callers?.records ?? createCallerRecords(engine),
    /** The last requests of callers, by tenant. */
    lastRequests: createLastRequests(engine),
    /** Who answers for credentials. */
    callerOwners: callers?.owners ?? createCallerOwners({ engine, clock }),
    /** What replays of recordings found. */
    comparisons: callers?.comparisons ?? createComparisons({ engine, clock }),
    /** What operators see of the store. */
    inspection: { ...createInspection(engine), ...(records?.findRecord && { findRecord: records.findRecord }) },
    /** The deprecations that are set while servers run. */
    deprecations:
      callers?.createDeprecations(audit) ??
      createDeprecationStore({ engine, clock, write: auditedWrite ?? writeUnaudited(engine) }),
    /** What operators have set for shadows, and what was found. */
    shadows: createShadowStore({
      ...{ engine, clock, vault: context.vault, write: auditedWrite ?? writeUnaudited(engine) },
    }),
    /** The audit log. The gateway, the application and the commands record there. */
    audit,
    /** The audit log in the store. */
    auditLog,
    /** Copies its entries elsewhere; absent where nothing is copied. */
    auditCopy,
    /** `host pid`. */
    processName,
    requestHasher: createRequestHasher(ring.index, config.environment, ring.otherIndex?.key, {
      sealsAll: records !== undefined,
    }),
    /** The requests that were forwarded to another server and have no outcome. */
    unsettled: records?.unsettled ?? createUnsettledRequests(engine),
    /** Deletes expired idempotency records. */
    deleteExpiredRecords: (options: CleanUpOptions) => deleteExpiredRecords(engine, options),
    /** Deletes the counts of limits whose time is over. */
    deleteExpiredCounts: limitCounts.deleteExpired,
    /** Overwrites what the store still holds of deleted rows beside its tables; see `Engine.scrub`. */
    scrub: async () => (await engine.scrub?.()) ?? true,
    /** Gives free pages of the store back to the file system; see `Engine.shrink`. */
    shrink: async (options?: ShrinkOptions) => engine.shrink?.(options),
    /** Commits a write, at most once in two seconds however often it is called. Rejects while the store accepts none. */
    checkWrites: createWriteCheck(engine),
    /** Finds a wrong clock. */
    clockCheck,
    /** The pool of connections to the database; absent for the embedded store. */
    connections: engine.connections,
    async close(): Promise<void> {
      await audit.flush().catch(() => {});
      await auditCopy?.close();
      await records?.close();
      await engine.close();
    },
  });
}

/** Keys that replace those of the configuration need not be the right ones: some commands read no more than credentials. */
async function loadRowMacs(
  backend: Pick<Backend, 'loadIntegrity'>,
  { create, isChecked }: { readonly create: boolean; readonly isChecked: boolean },
): Promise<void> {
  try {
    await backend.loadIntegrity({ create });
  } catch (thrown) {
    if (isChecked || !(thrown instanceof SealBroken || thrown instanceof VaultUnavailable)) throw thrown;
  }
}

async function checkKeys(services: Services, place: string): Promise<void> {
  const message = `the keys do not open what is stored in ${place}: name the key file that it was made with`;
  let isRight: boolean;
  try {
    isRight = await services.keysOpenStoredData();
  } catch (thrown) {
    throw thrown instanceof StoreUnavailable ? thrown : new KeyRingError(message, { cause: thrown });
  }
  if (!isRight) throw new KeyRingError(message);
}
