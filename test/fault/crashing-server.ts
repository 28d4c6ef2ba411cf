/** A server with the production code and crash points; or one with a seeded defect that ends a job apart from its outcome. */

import { openBackend } from '../../src/backend/backend.ts';
import type { GatewayService } from '../../src/backend/define-service.ts';
import { builtInServices } from '../../src/payments/index.ts';
import { startServer } from '../../src/program/app/server.ts';
import type { TakenJob } from '../../src/stores/jobs/job.ts';
import type { Store } from '../../src/stores/store.ts';
import type { Transaction } from '../../src/stores/transaction.ts';
import { override } from '../support/override.ts';
import { readConfig } from '../support/services.ts';
import { defectVariable, type Point, type SeededDefect } from './crash-points.ts';
import { announce, listenForInterruptions } from './injection/crash-points.ts';

const pass = listenForInterruptions<Point>();
const config = readConfig('production');
const defect = process.env[defectVariable] as SeededDefect | undefined;
const change = (store: Store): Store =>
  defect === undefined ? withCrashPoints(store) : withSeparateJobEnd(store, defect);
// The services work on the store with which they are composed.
const services = builtInServices.map(
  (service): GatewayService => ({
    ...service,
    open: (server) => service.open({ ...server, store: change(server.store) }),
  }),
);
const backend = await openBackend(config, { exclusive: true }, services);
announce(await startServer(config, { ...backend, store: change(backend.store) }));

function withCrashPoints(store: Store): Store {
  const write: Store['write'] = async (work) => {
    let written: 'a request' | 'an outcome' = 'a request';
    const result = await store.write(async (transaction) => {
      const endJob = (job: TakenJob) => {
        written = 'an outcome';
        return transaction.jobs.end(job);
      };
      const done = await work(overrideJobEnd(transaction, endJob));
      pass(`before the commit of ${written}`);
      return done;
    });
    pass(`after the commit of ${written}`);
    return result;
  };
  return override(store, { write });
}

/** Ends jobs in a transaction of their own, before or after that of the outcome. */
function withSeparateJobEnd(store: Store, defect: SeededDefect): Store {
  const write: Store['write'] = async (work) => {
    const jobs: TakenJob[] = [];
    const collectJobs: Store['write'] = (work) =>
      store.write((transaction) => work(overrideJobEnd(transaction, async (job) => void jobs.push(job))));
    if (defect === 'outcome first') {
      const result = await collectJobs(work);
      if (jobs.length > 0) pass('between an outcome and the end of its job');
      await endJobs(store, jobs);
      return result;
    }
    await rehearse(collectJobs, work);
    await endJobs(store, jobs);
    return store.write((transaction) => work(overrideJobEnd(transaction, async () => {})));
  };
  return override(store, { write });
}

async function endJobs(store: Store, jobs: readonly TakenJob[]): Promise<void> {
  for (const job of jobs) await store.write((transaction) => transaction.jobs.end(job));
  if (jobs.length > 0) pass('between an outcome and the end of its job');
}

/** Runs the work in a transaction that is rolled back. */
async function rehearse(write: Store['write'], work: Parameters<Store['write']>[0]): Promise<void> {
  const rollback = new Error('rehearsal');
  const rehearsal = write(async (transaction) => {
    await work(transaction);
    throw rollback;
  });
  await rehearsal.catch((thrown) => {
    if (thrown !== rollback) throw thrown;
  });
}

function overrideJobEnd(transaction: Transaction, end: (job: TakenJob) => Promise<void>): Transaction {
  return override(transaction, { jobs: override(transaction.jobs, { end }) });
}
