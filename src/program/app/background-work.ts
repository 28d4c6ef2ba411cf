/** Runs the background work of a serving process: webhook deliveries, the jobs of services, and the clean-up of expired records. */
import { randomUUID } from 'node:crypto';
import { flushUsesEveryMs, gatewayActor, refreshLimitsEveryMs } from '../../access/index.ts';
import {
  type Backend,
  pauseAfterJumps,
  pollDeprecationsEveryMs,
  pollShadowsEveryMs,
  runRetention,
} from '../../backend/index.ts';
import type { Config } from '../../config/index.ts';
import { type PeriodicTask, startPeriodicTask } from '../../core/lib/index.ts';
import { type Log, logFailure, type Metrics } from '../../http/index.ts';
import type { UnsettledRequest } from '../../stores/index.ts';
import { createDeliveryHandler, startWorker } from '../../stores/jobs/index.ts';
import type { ComposedGateway } from './compose-gateway.ts';

const cleanupEveryMs = 10 * 60_000;
const reportEveryMs = 10_000;
const lookUpEveryMs = 2_000;
/** A crash loses what was recorded since the last time. */
const flushEveryMs = 10_000;
const dayMs = 24 * 60 * 60 * 1000;

/** `closers` gets what ends the work: it starts no more, and resolves when the running work has ended. Jobs are cut off after `jobMsMax`. */
export async function startBackgroundWork(
  config: Config,
  backend: Backend,
  { log, metrics, recorder, audit, telemetry, deprecations, shadows, lookUpPending }: ComposedGateway,
  closers: AsyncDisposableStack,
  jobMsMax: number,
): Promise<void> {
  audit.start();
  const leaseOwner = randomUUID();
  let isStopped = false;
  const deleteByTime = pauseAfterJumps(backend, log, metrics);
  const every = (ms: number, work: () => Promise<unknown>, failure: string): PeriodicTask =>
    startPeriodicTask(work, ms, (thrown) => logFailure(log, thrown, failure));
  const tasks = [
    every(
      reportEveryMs,
      async () => {
        for (const each of await backend.unsettled.takeUnreported()) logUnknown(log, each);
      },
      'looking for requests of unknown outcome failed',
    ),
  ];
  if (recorder !== undefined)
    tasks.push(
      every(flushEveryMs, recorder.flush, 'saving the records of callers failed'),
      every(
        cleanupEveryMs,
        deleteByTime(() =>
          backend.callerRecords.deleteBefore(backend.context.clock.now() - config.callerDaysMax * dayMs),
        ),
        'deleting old records of callers failed',
      ),
    );
  if (backend.storesCallers)
    tasks.push(startPeriodicTask(deprecations.refresh, pollDeprecationsEveryMs, deprecations.failed));
  const endTasks = () => Promise.all(tasks.map((task) => task.stop()));
  if (!backend.hasTables) {
    closers.defer(async () => void (await endTasks()));
    return;
  }
  tasks.push(
    every(
      cleanupEveryMs,
      deleteByTime(async () => {
        const options = { owner: leaseOwner, isStopped: () => isStopped };
        const { oldestExpiry } = await backend.deleteExpiredRecords(options);
        metrics.oldestRecordExpiry = oldestExpiry;
        await backend.shrink({ isStopped: options.isStopped });
      }),
      'deleting expired idempotency records failed',
    ),
    every(
      cleanupEveryMs,
      deleteByTime(() => runRetention(config, backend, leaseOwner, () => isStopped)),
      'destroying what is stored for too long failed',
    ),
    every(cleanupEveryMs, backend.deleteExpiredCounts, 'deleting the counts of limits failed'),
    startPeriodicTask(shadows.refresh, pollShadowsEveryMs, shadows.failed),
    every(
      cleanupEveryMs,
      deleteByTime(() => backend.shadows.deleteBefore(backend.context.clock.now() - config.callerDaysMax * dayMs)),
      'deleting old differences of shadows failed',
    ),
    every(flushUsesEveryMs, backend.credentialUses.flush, 'saving the last use of credentials failed'),
  );
  if (lookUpPending !== undefined)
    tasks.push(every(lookUpEveryMs, () => lookUpPending(() => isStopped), 'asking for unknown outcomes failed'));
  if (backend.limits.isStoreShared) tasks.push(pollLimits(backend, log));
  reportAlteredRows(backend, log, metrics);
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
  closers.defer(async () => {
    isStopped = true;
    const cutOff = AbortSignal.timeout(jobMsMax);
    await Promise.all([endTasks(), ...workers.map((worker) => worker.stop(cutOff))]);
  });
}

/** Reads the counts that other processes share. Logs the first failure in a row. */
function pollLimits({ limits }: Backend, log: Log): PeriodicTask {
  let isFailing = false;
  const refresh = async (): Promise<void> => {
    await limits.refresh();
    isFailing = false;
  };
  return startPeriodicTask(refresh, refreshLimitsEveryMs, (thrown) => {
    if (!isFailing) logFailure(log, thrown, 'reading the counts of limits failed');
    isFailing = true;
  });
}

/** Counts, logs and audits each row that was changed outside of the gateway. */
function reportAlteredRows({ integrity, audit }: Backend, log: Log, metrics: Metrics): void {
  const count = metrics.addEventCounter({
    name: 'triglyph_altered_rows_total',
    help: 'Rows that were changed outside of the gateway and therefore refused, by table.',
  });
  integrity.listen(({ table, tenant, id }) => {
    count(table);
    log.write('error', 'a row was changed outside of the gateway: it is refused', { table, tenant, id });
    audit.recordOnce({ kind: 'rowAltered', actor: gatewayActor, subject: `${table} ${tenant} ${id}` });
  });
}

function logUnknown(log: Pick<Log, 'write'>, request: UnsettledRequest): void {
  const { id, upstream, service, operation, tenant, credential, failure } = request;
  const members = { pending: id, upstream, service, operation, tenant, credential, ...(failure && { failure }) };
  log.write('error', 'the outcome of a request to another server is unknown: triglyph pending settles it', members);
}
