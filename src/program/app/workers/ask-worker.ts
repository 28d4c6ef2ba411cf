/** From the primary: asks a worker and waits for its answer. */
import type { Worker } from 'node:cluster';
import { isWorkerMessage, type PrimaryMessage, type WorkerMessage } from './messages.ts';

/** The time that a worker has to answer. Less than the admin port gives to a probe. */
const answerMsMax = 1_500;
let lastQuery = 0;

/** The answers, by the name of their query without its question mark. */
type AnswerName = 'ready' | 'traffic';
type Answer<Name extends AnswerName> = Extract<WorkerMessage, { readonly triglyph: Name }>;

/** Undefined where the worker does not answer in time. */
export function askWorker<Name extends AnswerName>(
  worker: Worker,
  answerName: Name,
  query: (id: number) => PrimaryMessage,
): Promise<Answer<Name> | undefined> {
  lastQuery += 1;
  const id = lastQuery;
  const isAnswer = (message: unknown): message is Answer<Name> =>
    isWorkerMessage(message) && message.triglyph === answerName && 'id' in message && message.id === id;
  return new Promise((resolve) => {
    const finish = (answer?: Answer<Name>): void => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      worker.off('exit', onExit);
      resolve(answer);
    };
    const onMessage = (message: unknown): void => {
      if (isAnswer(message)) finish(message);
    };
    const onExit = (): void => finish();
    const timer = setTimeout(onExit, answerMsMax);
    worker.on('message', onMessage);
    worker.on('exit', onExit);
    if (worker.isConnected()) worker.send(query(id));
    else finish();
  });
}
