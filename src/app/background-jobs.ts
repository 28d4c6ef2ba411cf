/** What a serving process does from the jobs of its store, beside its requests. */
import { randomUUID } from 'node:crypto';
import { type Duty, startWorker } from '../jobs/worker.ts';
import { checkDuty } from '../services/recurring/account-updater/check-job.ts';
import { type DeliveryParts, deliveryDuty } from '../webhooks/deliver.ts';
import type { Strongroom } from './backend.ts';
import type { Config } from './config.ts';

export interface Duties {
  /** Takes no more, and waits for what was taken. */
  stop(): Promise<void>;
}

/** What has checks go on where they are gathered into files; nobody else needs to read such files. */
const batchDuties = async (
  { updaterFolder: folder, updaterBatchMs: waitMsMax, updaterBatchRowsMax: rowsMax }: Config,
  room: Strongroom,
): Promise<readonly Duty[]> => {
  const { gathering, details: store, world, updaterWatch: watch } = room;
  if (folder === undefined) return [];
  const [{ roundDuty }, { fileDuty }, { overdueDuty }] = await Promise.all([
    import('../services/recurring/account-updater/batch/cycle.ts'),
    import('../services/recurring/account-updater/batch/request-file.ts'),
    import('../services/recurring/account-updater/batch/overdue.ts'),
  ]);
  return [
    roundDuty(folder, { waitMsMax, rowsMax }, { gathering, room, watch }),
    fileDuty(folder, { store, gathering, world, watch }),
    overdueDuty(store, world, watch),
  ];
};

const updaterDuties = async (config: Config, room: Strongroom): Promise<readonly Duty[]> => {
  const { updater } = room.world;
  switch (updater.kind) {
    case 'known':
      return [];
    case 'asked':
      return [checkDuty(room.details, room.world, updater)];
    case 'gathered':
      return batchDuties(config, room);
    default:
      return updater satisfies never;
  }
};

const webhookDuty = (config: Config, room: Strongroom, count: DeliveryParts['count']): Duty =>
  deliveryDuty({
    store: room.details,
    endpoints: room.endpoints,
    vault: room.world.vault,
    clock: room.world.clock,
    environment: config.environment,
    deliveryMsMax: config.webhookMsMax,
    giveUpMs: config.webhookGiveUpMs,
    count,
  });

export interface DutyWatch {
  /** Is told what nobody foresaw; the job comes again. */
  failed(thrown: unknown): void;
  readonly webhook: DeliveryParts['count'];
}

export const beginDuties = async (
  config: Config,
  room: Strongroom,
  { failed, webhook }: DutyWatch,
): Promise<Duties> => {
  const { jobs, bell } = room;
  const holder = randomUUID();
  const duties = [...(await updaterDuties(config, room)), webhookDuty(config, room, webhook)];
  const workers = duties.map((duty) => {
    const worker = startWorker({ jobs, holder, failed }, duty);
    bell.answer(duty.kind, worker.nudge);
    return worker;
  });
  return Object.freeze({
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  });
};
