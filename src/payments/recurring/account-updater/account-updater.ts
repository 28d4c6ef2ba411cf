/** Creates the account updater that the configuration names, and the handlers of its background jobs. */
import type { ServiceParts } from '../../../backend/index.ts';
import type { HandlerContext } from '../../../core/gateway/index.ts';
import { type Backoff, backoffMs, type CallTracer, type Clock, createCallTracer } from '../../../core/lib/index.ts';
import type { Vault } from '../../../core/vault/index.ts';
import type { Store } from '../../../stores/index.ts';
import type { JobHandler } from '../../../stores/jobs/index.ts';
import type { RecurringSettings } from '../settings.ts';
import { createLocalUpdater } from './announced-changes.ts';
import type { BatchCycleDependencies } from './batch/cycle.ts';
import type { RequestFileDependencies } from './batch/request-file.ts';
import { createUpdaterEvents, type UpdaterEvents } from './events.ts';
import { createHttpUpdater, type HttpUpdaterDependencies } from './http/updater.ts';
import { updaterCheck } from './job-kinds.ts';
import { cardOf, checkOf, completeCheck, pendingMsMax } from './pending-check.ts';
import { type BatchQueue, createBatchQueue } from './store/batch.ts';
import type { AccountUpdateOutcome, HttpUpdater, Updater } from './updater.ts';

/** Its settings, and whether test cards stand for outcomes. */
export type AccountUpdaterOptions = UpdaterSettings & Pick<ServiceParts, 'environment'>;

type UpdaterSettings = Pick<RecurringSettings, Extract<keyof RecurringSettings, `updater${string}`>>;

export interface AccountUpdater {
  readonly updater: Updater;
  readonly events: UpdaterEvents;
  readonly batchQueue: BatchQueue;
  readonly calls: CallTracer;
}

export function createAccountUpdater(
  options: AccountUpdaterOptions,
  { store, clock, vault }: { readonly store: Store; readonly clock: Clock; readonly vault: Vault },
): AccountUpdater {
  const events = createUpdaterEvents();
  const calls = createCallTracer();
  const updater = createUpdater(options, { clock, vault, events, calls });
  return { updater, events, batchQueue: createBatchQueue(store), calls };
}

type UpdaterJobDependencies = Omit<BatchCycleDependencies & RequestFileDependencies, keyof AccountUpdater>;

/** Returns the handlers of the jobs that the updater of the configuration needs. */
export async function createUpdaterJobHandlers(
  { updaterFolder: folder, updaterBatchMs: waitMsMax, updaterBatchRowsMax: rowsMax }: UpdaterSettings,
  { updater, events, batchQueue }: AccountUpdater,
  { store, jobs, registry, context }: UpdaterJobDependencies,
): Promise<readonly JobHandler[]> {
  switch (updater.kind) {
    case 'local':
      return [];
    case 'http':
      return [createCheckHandler(store, context, updater)];
    case 'batch': {
      if (folder === undefined) throw new TypeError('a batch updater requires a folder');
      // Loaded on demand: only this updater reads files.
      const { createBatchCycleHandler, createOverdueHandler } = await import('./batch/cycle.ts');
      const { createRequestFileHandler } = await import('./batch/request-file.ts');
      return [
        createBatchCycleHandler(folder, { waitMsMax, rowsMax }, { batchQueue, store, registry, context, events }),
        createRequestFileHandler(folder, { jobs, batchQueue, context, events }),
        createOverdueHandler(store, context, events),
      ];
    }
    default:
      return updater satisfies never;
  }
}

function createUpdater(
  options: AccountUpdaterOptions,
  { clock, vault, events, calls }: Required<HttpUpdaterDependencies>,
): Updater {
  const { updater, environment, updaterUrl: url, updaterSecret: secret, updaterMsMax: msMax } = options;
  switch (updater) {
    case 'local':
      return createLocalUpdater(vault, { testCards: environment === 'test' });
    case 'http':
      if (url === undefined) throw new TypeError('an HTTP updater requires an address');
      return createHttpUpdater({ url, secret, msMax }, { clock, vault, events, calls });
    case 'batch':
      return Object.freeze<Updater>({ kind: 'batch' });
    default:
      return updater satisfies never;
  }
}

const backoff: Backoff = { firstMs: 2_000, maxMs: 5 * 60_000 };

/** Repeats checks for which the HTTP updater had no outcome in the time of the request. */
export function createCheckHandler(
  store: Pick<Store, 'write'>,
  context: HandlerContext,
  updater: HttpUpdater,
): JobHandler {
  return Object.freeze<JobHandler>({
    kind: updaterCheck,
    concurrencyMax: 8,
    leaseMs: 30_000,
    pollIntervalMs: 1_000,
    async run(job) {
      const outcome = await updater.check(cardOf(job, context), checkOf(job).id, true);
      const isOverdue = job.ageMs > pendingMsMax;
      if (outcome.kind === 'pending' && !isOverdue)
        return { retryAfterMs: backoffMs(job.attempts, backoff), because: 'the updater has no outcome yet' };
      const last: AccountUpdateOutcome = outcome.kind === 'pending' ? { kind: 'failed' } : outcome;
      await store.write((tx) => completeCheck(job, last, tx, context));
      return 'ended';
    },
  });
}
