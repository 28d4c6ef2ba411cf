/** What a serving process does from the jobs of its store, beside its requests. */
import { randomUUID } from 'node:crypto';
import { type JobHandler, startWorker } from '../jobs/worker.ts';
import { createCheckHandler } from '../services/recurring/account-updater/check-job.ts';
import { webhookFormats } from '../services/webhook-formats.ts';
import { createDeliveryHandler, type DeliveryDependencies } from '../webhooks/deliver.ts';
import type { Backend } from './backend.ts';
import type { Config } from './config.ts';

export interface BackgroundJobs {
  /** Takes no more, and waits for what was taken. */
  stop(): Promise<void>;
}

/** What has checks go on where they are gathered into files; nobody else needs to read such files. */
const batchDuties = async (
  { updaterFolder: folder, updaterBatchMs: waitMsMax, updaterBatchRowsMax: rowsMax }: Config,
  room: Backend,
): Promise<readonly JobHandler[]> => {
  const { batchQueue, store, jobs, registry, context, updaterEvents: events } = room;
  if (folder === undefined) return [];
  const [{ createBatchCycleHandler }, { createRequestFileHandler }, { createOverdueHandler }] = await Promise.all([
    import('../services/recurring/account-updater/batch/cycle.ts'),
    import('../services/recurring/account-updater/batch/request-file.ts'),
    import('../services/recurring/account-updater/batch/overdue.ts'),
  ]);
  return [
    createBatchCycleHandler(folder, { waitMsMax, rowsMax }, { batchQueue, store, registry, context, events }),
    createRequestFileHandler(folder, { jobs, batchQueue, context, events }),
    createOverdueHandler(store, context, events),
  ];
};

const updaterDuties = async (config: Config, room: Backend): Promise<readonly JobHandler[]> => {
  const { updater } = room;
  switch (updater.kind) {
    case 'local':
      return [];
    case 'http':
      return [createCheckHandler(room.store, room.context, updater)];
    case 'batch':
      return batchDuties(config, room);
    default:
      return updater satisfies never;
  }
};

const webhookDuty = (config: Config, room: Backend, count: DeliveryDependencies['count']): JobHandler =>
  createDeliveryHandler({
    jobs: room.jobs,
    formats: webhookFormats,
    endpoints: room.endpoints,
    vault: room.context.vault,
    clock: room.context.clock,
    environment: config.environment,
    deliveryMsMax: config.webhookMsMax,
    giveUpMs: config.webhookGiveUpMs,
    count,
  });

export interface JobObserver {
  /** Is told what nobody foresaw; the job comes again. */
  failed(thrown: unknown): void;
  readonly webhook: DeliveryDependencies['count'];
}

export const startBackgroundJobs = async (
  config: Config,
  room: Backend,
  { failed, webhook }: JobObserver,
): Promise<BackgroundJobs> => {
  const { jobs, jobNotifier: bell } = room;
  const holder = randomUUID();
  const duties = [...(await updaterDuties(config, room)), webhookDuty(config, room, webhook)];
  const workers = duties.map((duty) => {
    const worker = startWorker({ jobs, leaseOwner: holder, failed }, duty);
    bell.subscribe(duty.kind, worker.nudge);
    return worker;
  });
  return Object.freeze({
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  });
};
