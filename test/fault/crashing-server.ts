/** A server with the code of production, which kills itself where it is told to; or, as a control, one that ends a check apart from its effect. */

import { openBackend } from '../../src/app/backend.ts';
import { readConfig } from '../../src/app/config.ts';
import { startServer } from '../../src/app/server.ts';
import type { TakenJob } from '../../src/jobs/job.ts';
import type { DetailStore } from '../../src/services/recurring/store/repository.ts';
import type { Forgetful, Point, Ready } from './crash-points.ts';

let order: Point | undefined;
const pass = (point: Point): void => {
  if (order === point) process.kill(process.pid, 'SIGKILL');
};
process.on('message', (told: Point) => {
  order = told;
});
process.on('disconnect', () => process.exit());

const struck = (store: DetailStore): DetailStore =>
  Object.freeze<DetailStore>({
    ...store,
    async write(work) {
      let what: 'a request' | 'an outcome' = 'a request';
      const result = await store.write(async (unit) => {
        const endJob = (job: TakenJob) => {
          what = 'an outcome';
          return unit.endJob(job);
        };
        const done = await work({ ...unit, endJob });
        pass(what === 'a request' ? 'before a request is kept' : 'before an outcome is kept');
        return done;
      });
      pass(what === 'a request' ? 'after a request was kept' : 'after an outcome was kept');
      return result;
    },
  });

/** The end of the job and what it came to are two units: exactly what must not be. */
const forgetful = (store: DetailStore, how: Forgetful): DetailStore =>
  Object.freeze<DetailStore>({
    ...store,
    async write(work) {
      const ended: TakenJob[] = [];
      const end = async () => {
        for (const job of ended) await store.write((unit) => unit.endJob(job));
        if (ended.length > 0) pass('between an outcome and its end');
      };
      const dry = new Error('only to see what it ends');
      if (how === 'ends first') {
        const look = store.write(async (unit) => {
          await work({ ...unit, endJob: async (job) => void ended.push(job) });
          throw dry;
        });
        await look.catch((thrown) => {
          if (thrown !== dry) throw thrown;
        });
        await end();
        return store.write((unit) => work({ ...unit, endJob: async () => {} }));
      }
      const result = await store.write((unit) => work({ ...unit, endJob: async (job) => void ended.push(job) }));
      if (ended.length > 0) pass('between an outcome and its end');
      await end();
      return result;
    },
  });

const how = process.env.FORGETFUL as Forgetful | undefined;
const room = await openBackend(readConfig('production'), { exclusive: true });
const details = how === undefined ? struck(room.store) : forgetful(room.store, how);
const running = await startServer(readConfig('production'), { ...room, store: details });
process.once('SIGTERM', async () => {
  await running.stop();
  process.exit();
});
process.send?.({ callers: running.callers } satisfies Ready);
