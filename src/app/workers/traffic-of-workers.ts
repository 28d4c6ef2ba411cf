/** In the primary: reads the traffic of all workers, which keep their own requests, and adds up what they have counted. */
import cluster, { type Worker } from 'node:cluster';
import { Rates } from '../../traffic/rates.ts';
import { type FoundRequest, TrafficReader, type TrafficSettings, type TrafficSource } from '../../traffic/reader.ts';
import type { TrafficPage } from '../../traffic/recorder.ts';
import { isWorkerMessage, type TrafficAsk, type TrafficQuery, type WorkerMessage } from './messages.ts';

/** `answering`: the workers that serve and do not hang. */
export function readTrafficOfWorkers(answering: () => readonly Worker[], options: TrafficSettings): TrafficReader {
  const rates = new Rates();
  cluster.on('message', (_worker, message: unknown) => {
    if (isWorkerMessage(message) && message.triglyph === 'rates') rates.add(message.rows);
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
    watch: () => send(worker, { triglyph: 'traffic?', id: 0, ask: { kind: 'watch' } }),
  };
}

/** The time that a worker has to answer. */
const answerMsMax = 1_500;
let lastQuery = 0;

type TrafficAnswer = Extract<WorkerMessage, { readonly triglyph: 'traffic' }>;

/** Undefined where the worker does not answer in time. */
function ask(worker: Worker, query: TrafficAsk): Promise<TrafficAnswer | undefined> {
  return new Promise((resolve) => {
    lastQuery += 1;
    const id = lastQuery;
    const finish = (answer?: TrafficAnswer): void => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      worker.off('exit', onExit);
      resolve(answer);
    };
    const onMessage = (message: unknown): void => {
      if (isWorkerMessage(message) && message.triglyph === 'traffic' && message.id === id) finish(message);
    };
    const onExit = (): void => finish();
    const timer = setTimeout(onExit, answerMsMax);
    worker.on('message', onMessage);
    worker.on('exit', onExit);
    if (worker.isConnected()) send(worker, { triglyph: 'traffic?', id, ask: query });
    else finish();
  });
}

function send(worker: Worker, query: TrafficQuery): void {
  if (worker.isConnected()) worker.send(query);
}
