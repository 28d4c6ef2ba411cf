/** Runs the background jobs of a serving process: webhook deliveries and the jobs of services. */
import { randomUUID } from 'node:crypto';
import { startWorker } from '../jobs/worker.ts';
import { createDeliveryHandler, type DeliveryDependencies } from '../webhooks/deliver.ts';
import type { Backend } from './backend.ts';
import type { Config } from './config.ts';

export interface BackgroundJobs {
  /** Takes no more jobs, and resolves when the running ones have ended. They end early when `cutOff` aborts. */
  stop(cutOff: AbortSignal): Promise<void>;
}

export interface JobObserver {
  /** Reports an unexpected failure. The job is retried. */
  failed(thrown: unknown): void;
  readonly webhook: DeliveryDependencies['count'];
}

export async function startBackgroundJobs(
  config: Config,
  backend: Backend,
  { failed, webhook }: JobObserver,
): Promise<BackgroundJobs> {
  const { jobs, jobNotifier, services, endpoints, context } = backend;
  const deliveries = createDeliveryHandler({
    jobs,
    endpoints,
    formats: services.webhookFormats,
    vault: context.vault,
    environment: config.environment,
    deliveryMsMax: config.webhookMsMax,
    giveUpMs: config.webhookGiveUpMs,
    count: webhook,
  });
  const leaseOwner = randomUUID();
  const workers = [...(await services.createJobHandlers(backend)), deliveries].map((handler) => {
    const worker = startWorker({ jobs, leaseOwner, failed }, handler);
    jobNotifier.subscribe(handler.kind, worker.nudge);
    return worker;
  });
  return Object.freeze({
    async stop(cutOff: AbortSignal) {
      await Promise.all(workers.map((worker) => worker.stop(cutOff)));
    },
  });
}
