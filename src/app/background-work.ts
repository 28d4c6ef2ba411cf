/** Runs the background work of a serving process: webhook deliveries, the jobs of services, and the clean-up of expired records. */
import { randomUUID } from 'node:crypto';
import { gatewayActor } from '../audit/audit-event.ts';
import type { Backend } from '../backend/backend.ts';
import { pollDeprecationsEveryMs } from '../backend/deprecations/live.ts';
import { runRetention } from '../backend/retention.ts';
import type { Services } from '../backend/service-set.ts';
import { flushUsesEveryMs } from '../callers/credentials/credential-uses.ts';
import { refreshLimitsEveryMs } from '../callers/limits/limits.ts';
import type { Config } from '../config/config.ts';
import { type Log, logFailure } from '../http/log.ts';
import { createDeliveryHandler } from '../jobs/webhooks/deliver.ts';
import { startWorker } from '../jobs/worker.ts';
import { startPeriodicTask } from '../lib/periodic-task.ts';
import type { UnsettledRequest } from '../store/sql/unsettled-requests.ts';
import type { ComposedGateway } from './compose-gateway.ts';
import { pauseAfterJumps } from './pause-after-jumps.ts';

export interface BackgroundWork {
  /** Starts no more work, and resolves when the running work has ended. Jobs end early when `cutOff` aborts. */
  stop(cutOff: AbortSignal): Promise<void>;
}

const cleanupEveryMs = 10 * 60_000;
const reportEveryMs = 10_000;
/** A crash loses what was recorded since the last time. */
const flushEveryMs = 10_000;
const dayMs = 24 * 60 * 60 * 1000;

export async function startBackgroundWork(
  config: Config,
  backend: Backend<Services>,
  {
    log,
    metrics,
    recorder,
    audit,
    telemetry,
    deprecations,
  }: Pick<ComposedGateway, 'log' | 'metrics' | 'recorder' | 'audit' | 'telemetry' | 'deprecations'>,
): Promise<BackgroundWork> {
  audit.start();
  const leaseOwner = randomUUID();
  let isStopped = false;
  const deleteByTime = pauseAfterJumps(backend, log, metrics);
  const cleanup = startPeriodicTask(
    deleteByTime(async () => {
      const options = { owner: leaseOwner, isStopped: () => isStopped };
      const { oldestExpiry } = await backend.deleteExpiredRecords(options);
      metrics.oldestRecordExpiry = oldestExpiry;
      await backend.shrink({ isStopped: options.isStopped });
    }),
    cleanupEveryMs,
    (thrown) => logFailure(log, thrown, 'deleting expired idempotency records failed'),
  );
  const retention = startPeriodicTask(
    deleteByTime(() => runRetention(config, backend, leaseOwner, () => isStopped)),
    cleanupEveryMs,
    (thrown) => logFailure(log, thrown, 'destroying what is stored for too long failed'),
  );
  const unsettled = startPeriodicTask(
    async () => {
      for (const each of await backend.unsettled.takeUnreported()) logUnknown(log, each);
    },
    reportEveryMs,
    (thrown) => logFailure(log, thrown, 'looking for requests of unknown outcome failed'),
  );
  const recording = recorder && [
    startPeriodicTask(recorder.flush, flushEveryMs, (thrown) =>
      logFailure(log, thrown, 'saving the records of callers failed'),
    ),
    startPeriodicTask(
      deleteByTime(() =>
        backend.callerRecords.deleteBefore(backend.context.clock.now() - config.callerDaysMax * dayMs),
      ),
      cleanupEveryMs,
      (thrown) => logFailure(log, thrown, 'deleting old records of callers failed'),
    ),
  ];
  const counts = [
    startPeriodicTask(backend.deleteExpiredCounts, cleanupEveryMs, (thrown) =>
      logFailure(log, thrown, 'deleting the counts of limits failed'),
    ),
  ];
  if (backend.limits.isStoreShared) {
    let isFailing = false;
    const refresh = async (): Promise<void> => {
      await backend.limits.refresh();
      isFailing = false;
    };
    const failed = (thrown: unknown): void => {
      if (!isFailing) logFailure(log, thrown, 'reading the counts of limits failed');
      isFailing = true;
    };
    counts.push(startPeriodicTask(refresh, refreshLimitsEveryMs, failed));
  }
  const polling = startPeriodicTask(deprecations.refresh, pollDeprecationsEveryMs, deprecations.failed);
  const uses = startPeriodicTask(backend.credentialUses.flush, flushUsesEveryMs, (thrown) =>
    logFailure(log, thrown, 'saving the last use of credentials failed'),
  );
  const count = metrics.addEventCounter({
    name: 'triglyph_altered_rows_total',
    help: 'Rows that were changed outside of the gateway and therefore refused, by table.',
  });
  backend.integrity.listen(({ table, tenant, id }) => {
    count(table);
    log.write('error', 'a row was changed outside of the gateway: it is refused', { table, tenant, id });
    const subject = `${table} ${tenant} ${id}`;
    backend.audit.recordOnce({ kind: 'rowAltered', actor: gatewayActor, subject });
  });
  const failed = (thrown: unknown): void => logFailure(log, thrown, 'a background job failed');
  const { jobs, jobNotifier, services, endpoints, context } = backend;
  const deliveries = createDeliveryHandler({
    jobs,
    endpoints,
    formats: services.webhookFormats,
    vault: context.vault,
    environment: config.environment,
    deliveryMsMax: config.webhookMsMax,
    giveUpMs: config.webhookGiveUpMs,
    count: metrics.webhookEvent,
    trace: telemetry?.tracing?.delivery,
    complete: services.completeEvent,
  });
  const workers = [...(await services.createJobHandlers(jobs)), deliveries].map((handler) => {
    const worker = startWorker({ jobs, leaseOwner, failed, observer: metrics.jobs }, handler);
    jobNotifier.subscribe(handler.kind, worker.nudge);
    return worker;
  });
  return Object.freeze({
    async stop(cutOff: AbortSignal) {
      isStopped = true;
      await Promise.all([
        cleanup.stop(),
        retention.stop(),
        unsettled.stop(),
        polling.stop(),
        uses.stop(),
        ...[...counts, ...(recording ?? [])].map((task) => task.stop()),
        ...workers.map((worker) => worker.stop(cutOff)),
      ]);
    },
  });
}

function logUnknown(log: Pick<Log, 'write'>, request: UnsettledRequest): void {
  const { id, upstream, service, operation, tenant, credential, failure } = request;
  const members = { pending: id, upstream, service, operation, tenant, credential, ...(failure && { failure }) };
  log.write('error', 'the outcome of a request to another server is unknown: triglyph pending settles it', members);
}
