/** In the primary: reads the traffic of all workers, which keep their own requests, and adds up what they have counted. */
import cluster, { type Worker } from 'node:cluster';
import {
  addRates,
  createRates,
  type FoundRequest,
  type TrafficPage,
  TrafficReader,
  type TrafficSettings,
  type TrafficSource,
} from '../../../insight/traffic/index.ts';
import { askWorker } from './ask-worker.ts';
import { isWorkerMessage, type PrimaryMessage, type TrafficAsk } from './messages.ts';

/** `answering`: the workers that serve and do not hang. */
export function readTrafficOfWorkers(answering: () => readonly Worker[], options: TrafficSettings): TrafficReader {
  const rates = createRates();
  cluster.on('message', (_worker, message: unknown) => {
    if (isWorkerMessage(message) && message.triglyph === 'rates') addRates(rates, message.rows);
  });
  return new TrafficReader({ sources: () => answering().map(sourceOf), rates, options });
}

function sourceOf(worker: Worker): TrafficSource {
  return {
    process: String(worker.process.pid),
    async after(cursor, limit): Promise<TrafficPage> {
      const answer = await ask(worker, { kind: 'lines', cursor, limit });
      // A worker that does not answer now is asked again after the same line.
      return answer?.page ?? { lines: [], cursor: cursor ?? 0, missed: 0 };
    },
    async find(request): Promise<FoundRequest | undefined> {
      return (await ask(worker, { kind: 'request', request }))?.found;
    },
    watch() {
      if (worker.isConnected())
        worker.send({ triglyph: 'traffic?', id: 0, ask: { kind: 'watch' } } satisfies PrimaryMessage);
    },
  };
}

const ask = (worker: Worker, query: TrafficAsk) =>
  askWorker(worker, 'traffic', (id) => ({ triglyph: 'traffic?', id, ask: query }));
