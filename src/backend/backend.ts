/** The backend of servers and commands: the store, the keys, and everything built on the two. */
import { hostname } from 'node:os';
import { type AuditCopy, createAuditCopy } from '../audit/audit-copy.ts';
import { type AuditActor, gatewayActor } from '../audit/audit-event.ts';
import { type AuditLog, createAuditLog } from '../audit/audit-log.ts';
import { type AuditTrail, createAuditTrail, noAuditTrail } from '../audit/audit-trail.ts';
import { createAuditedWrite, writeUnaudited } from '../audit/audited-write.ts';
import { openEntryWriter } from '../audit/copy/copy.ts';
import { createCallerRecords, type StoredCallerRecords } from '../callers/caller-records.ts';
import { type CredentialRegistry, createCredentialRegistry } from '../callers/credentials/credential-registry.ts';
import type { CredentialRules } from '../callers/credentials/credential-rules.ts';
import type { OldSecretRow } from '../callers/credentials/credential-statements.ts';
import { type CredentialUses, createCredentialUses } from '../callers/credentials/credential-uses.ts';
import { type Credentials, createCredentials } from '../callers/credentials/credentials.ts';
import { createLiveCredentials, type LiveCredentials } from '../callers/credentials/live-credentials.ts';
import { findCredentialsOfOtherPeppers } from '../callers/credentials/rehash-secret.ts';
import { pepperKeys } from '../callers/credentials/secret-hash.ts';
import {
  createUpstreamCredentialStore,
  type UpstreamCredentialStore,
} from '../callers/credentials/upstream-credentials.ts';
import { createDeprecationStore, type DeprecationStore } from '../callers/deprecations.ts';
import { createLimitCounts } from '../callers/limits/limit-counts.ts';
import { createLimits, type Limits } from '../callers/limits/limits.ts';
import type { Config } from '../config/config.ts';
import type { Authenticator } from '../gateway/authenticate.ts';
import { createForwardedAuthenticator } from '../gateway/forwarded-credentials.ts';
import type { HandlerContext } from '../gateway/handler.ts';
import type { RequestHasher } from '../idempotency/ports.ts';
import { createRequestHasher } from '../idempotency/request-hash.ts';
import type { JobQueue } from '../jobs/job.ts';
import { createJobNotifier, type JobNotifier } from '../jobs/notifier.ts';
import type { EndpointStore } from '../jobs/webhooks/ports.ts';
import { clock, monotonicClock } from '../lib/clock.ts';
import type { Clock } from '../lib/clock-and-ids.ts';
import { ids } from '../lib/ids.ts';
import { StoreUnavailable } from '../store/errors.ts';
import { RowIntegrity } from '../store/row-integrity.ts';
import { isHalfCopied } from '../store/sql/copy.ts';
import type { Engine, PoolConnections, ShrinkOptions } from '../store/sql/engine.ts';
import { type CleanUpOptions, type CleanUpResult, deleteExpiredRecords } from '../store/sql/expired-records.ts';
import { createInspection, type StoreInspection } from '../store/sql/inspection.ts';
import { createJobs } from '../store/sql/jobs.ts';
import { createKeyRotation, type KeyRotation } from '../store/sql/key-rotation.ts';
import { compareSchema, migrate } from '../store/sql/migrate.ts';
import { loadIntegrity } from '../store/sql/row-integrity-state.ts';
import { findWrongRows, signWrongRows, type WrongRow, type WrongRows, wrongPagesOf } from '../store/sql/signed-rows.ts';
import { createUnsettledRequests, type UnsettledRequests } from '../store/sql/unsettled-requests.ts';
import { createEndpoints } from '../store/sql/webhook-endpoints.ts';
import { createWriteCheck } from '../store/sql/write-check.ts';
import { createStore, type Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import { createWrapping } from '../vault/data-key.ts';
import { deriveKey, fingerprintOf } from '../vault/derive.ts';
import type { OtherState } from '../vault/key-lines.ts';
import type { KeyProvider } from '../vault/key-provider.ts';
import { type KeyRing, KeyRingError } from '../vault/key-ring.ts';
import { VaultUnavailable } from '../vault/ports.ts';
import { SealBroken } from '../vault/seal.ts';
import { createVault } from '../vault/vault.ts';
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
import { createIndexRotation, type IndexRotation } from './index-rotation.ts';
import { keyProviderOf, readKeys } from './key-provider.ts';
import { describeStore, openStore, storeAddress } from './open-store.ts';

export interface Backend {
  readonly store: Store;
  readonly context: HandlerContext;
  readonly services: Services;
  readonly keyProvider: KeyProvider;
  readonly limits: Limits;
  readonly jobs: JobQueue;
  /** Announces each kind of job that a committed transaction of this process has saved. */
  readonly jobNotifier: JobNotifier;
  readonly endpoints: EndpointStore;
  readonly upstreamCredentials: UpstreamCredentialStore;
  readonly credentials: Credentials;
  /** For sessions, which present no secret. */
  readonly liveCredentials: LiveCredentials;
  readonly credentialUses: CredentialUses;
  /** Tells callers apart whose credentials only an upstream knows. */
  readonly forwarded: Authenticator;
  readonly registry: CredentialRegistry;
  /** Those of the engine and of the services. */
  readonly tables: readonly Table[];
  /** What the services declare about credentials. */
  readonly credentialRules: CredentialRules;
  readonly rotation: KeyRotation;
  readonly indexRotation: IndexRotation;
  readonly pepperRotation: PepperRotation;
  readonly integrity: RowIntegrity;
  /** Loads the keys of the row MACs, and makes them in a store without. */
  loadIntegrity(options: { readonly create: boolean }): Promise<void>;
  /** Compares all MACs. Returns at most `max` rows whose MAC is wrong or missing. */
  findWrongRows(max?: number): Promise<WrongRows>;
  /** The same, page by page. */
  wrongPages(): AsyncIterable<WrongRows>;
  /** Signs the rows whose MAC is wrong or missing and that `accepts` returns true for. Returns their number. */
  signRows(accepts: (row: WrongRow) => boolean): Promise<number>;
  readonly requestHasher: RequestHasher;
  /** The requests that were forwarded to another server and have no outcome. */
  readonly unsettled: UnsettledRequests;
  readonly callerRecords: StoredCallerRecords;
  /** What operators see of the store. */
  readonly inspection: StoreInspection;
  /** The deprecations that are set while servers run. */
  readonly deprecations: DeprecationStore;
  /** The audit log. The gateway, the application and the commands record there. */
  readonly audit: AuditTrail;
  /** The audit log in the store. */
  readonly auditLog: AuditLog;
  /** Copies its entries elsewhere; absent where nothing is copied. */
  readonly auditCopy: AuditCopy | undefined;
  /** `host pid`. */
  readonly processName: string;
  /** Deletes expired idempotency records. */
  deleteExpiredRecords(options: CleanUpOptions): Promise<CleanUpResult>;
  /** Deletes the counts of limits whose time is over. */
  deleteExpiredCounts(): Promise<void>;
  /** Overwrites what the store still holds of deleted rows beside its tables; see `Engine.scrub`. */
  scrub(): Promise<boolean>;
  /** Gives free pages of the store back to the file system; see `Engine.shrink`. */
  shrink(options?: ShrinkOptions): Promise<void>;
  /** The pool of connections to the database; absent for the embedded store. */
  readonly connections: PoolConnections | undefined;
  /** Commits a write, at most once in two seconds however often it is called. Rejects while the store accepts none. */
  checkWrites(): Promise<void>;
  /** Finds a wrong clock. */
  readonly clockCheck: ClockCheck;
  close(): Promise<void>;
}

/** The rotation of the pepper: each secret moves when it is used. */
export interface PepperRotation {
  /** Of the second pepper; undefined where there is one. */
  readonly state: OtherState | undefined;
  /** The credentials with secrets that the current pepper does not verify. */
  findCredentials(): Promise<readonly OldSecretRow[]>;
}

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
  const engine = await (open?.() ?? openStore(address, { exclusive, create: exclusive }));
  try {
    const owners = ownersOf(services);
    await (exclusive ? migrate(engine, owners) : compareSchema(engine, owners));
    const place = describeStore(address);
    if (await isHalfCopied(engine))
      throw new Error(`${place} holds an unfinished copy: run the same \`triglyph copy\` again`);
    const daysMax = config.clockDaysMax;
    const clockCheck = context === undefined ? createClockCheck({ engine, clock, daysMax, place }) : noClockCheck;
    // The clock of the machine may be set. One that replaces it is set on purpose.
    const limitClock = context?.clock ?? monotonicClock;
    const parts = { engine, ring, keyProvider, actor, clockCheck, limitClock, ...(context ?? { clock, ids }) };
    if (exclusive) await clockCheck.start(acceptsClock);
    const backend = createBackend(services, config, parts);
    if (keys === undefined) await checkKeys(backend.services, place);
    await loadRowMacs(backend, { create: exclusive, isChecked: keys === undefined });
    if (exclusive) await backend.services.prepare(backend.registry);
    return backend;
  } catch (thrown) {
    await engine.close();
    throw thrown;
  }
}

interface BackendParts extends Pick<HandlerContext, 'clock' | 'ids'> {
  readonly engine: Engine;
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
  { engine, ring, keyProvider, actor, clockCheck, limitClock, clock, ids }: BackendParts,
): Backend {
  const jobNotifier = createJobNotifier();
  const credentialUses = createCredentialUses(engine);
  const integrity = new RowIntegrity();
  const webhookFormats = webhookFormatsOf(given);
  const shared = [webhookFormats, ...sharedObjectsOf(given, engine, config), integrity];
  const store = createStore(engine, { shared, onJobSaved: jobNotifier.notify });
  const context: HandlerContext = Object.freeze({ clock, ids, vault: createVault(ring) });
  const tables = ownersOf(given).flatMap((owner) => owner.tables);
  const processName = `${hostname()} ${process.pid}`;
  const auditLog = createAuditLog({ engine, vault: context.vault, clock, process: processName, tables });
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
  const limits = createLimits(limitClock, (text) => fingerprintOf(limitKey, text), limitCounts);
  const auditedWrite = config.audit ? createAuditedWrite({ engine, log: auditLog, clock, actor }) : undefined;
  const services = composeServices(given, webhookFormats, { engine, store, context, limits, integrity, config });
  const rules = credentialRulesOf(given);
  const signed = { engine, integrity, tables };
  return Object.freeze<Backend>({
    store,
    context,
    keyProvider,
    services,
    limits,
    jobs: createJobs(engine),
    jobNotifier,
    endpoints: createEndpoints(engine, integrity),
    upstreamCredentials: createUpstreamCredentialStore(engine),
    credentials: createCredentials(engine, ring.pepper, clock, credentialUses.record, ring.otherPepper, integrity),
    liveCredentials: createLiveCredentials(engine, clock, integrity),
    credentialUses,
    forwarded: createForwardedAuthenticator(ring.index, ring.otherIndex?.key),
    registry: createCredentialRegistry(engine, ring.pepper, clock, rules, auditedWrite, integrity),
    tables,
    credentialRules: rules,
    integrity,
    loadIntegrity: (options) => loadIntegrity(engine, context.vault, integrity, options),
    findWrongRows: (max) => findWrongRows(signed, max),
    wrongPages: () => wrongPagesOf(signed),
    signRows: (accepts) => signWrongRows(signed, accepts),
    pepperRotation: {
      state: ring.otherPepper?.state,
      findCredentials: () => findCredentialsOfOtherPeppers(engine, pepperKeys(ring.pepper), clock),
    },
    indexRotation: createIndexRotation({ engine, store, vault: context.vault }, tables, ring.otherIndex?.state),
    rotation: createKeyRotation(engine, createWrapping(ring), tables),
    callerRecords: createCallerRecords(engine),
    inspection: createInspection(engine),
    deprecations: createDeprecationStore({ engine, clock, write: auditedWrite ?? writeUnaudited(engine) }),
    audit,
    auditLog,
    auditCopy,
    processName,
    requestHasher: createRequestHasher(ring.index, config.environment, ring.otherIndex?.key),
    unsettled: createUnsettledRequests(engine),
    deleteExpiredRecords: (options) => deleteExpiredRecords(engine, options),
    deleteExpiredCounts: limitCounts.deleteExpired,
    scrub: async () => (await engine.scrub?.()) ?? true,
    shrink: async (options) => engine.shrink?.(options),
    checkWrites: createWriteCheck(engine),
    clockCheck,
    connections: engine.connections,
    async close() {
      await audit.flush().catch(() => {});
      await auditCopy?.close();
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
