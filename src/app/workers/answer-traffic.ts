/** In a worker: answers queries of the primary for traffic, and sends it what was counted. */
import type { TrafficRecorder } from '../../observe/traffic/recorder.ts';
import { isTrafficQuery, type WorkerMessage } from './messages.ts';

/** A worker that is killed loses what it has counted since. */
const ratesEveryMs = 1_000;

/** Returns a function that sends the rest, and ends it. */
export function answerTraffic(recorder: TrafficRecorder, send: (message: WorkerMessage) => void): () => void {
  const onMessage = (message: unknown): void => {
    if (!isTrafficQuery(message)) return;
    const { id, ask } = message;
    switch (ask.kind) {
      case 'lines':
        send({ triglyph: 'traffic', id, page: recorder.after(ask.cursor, ask.limit) });
        break;
      case 'request':
        send({ triglyph: 'traffic', id, found: recorder.find(ask.request) });
        break;
      case 'watch':
        recorder.watch();
        break;
      default:
        ask satisfies never;
    }
  };
  const sendRates = (): void => {
    const rows = recorder.rates.take();
    if (rows.length > 0) send({ triglyph: 'rates', rows });
  };
  process.on('message', onMessage);
  const timer = setInterval(sendRates, ratesEveryMs);
  timer.unref();
  return () => {
    process.off('message', onMessage);
    clearInterval(timer);
    sendRates();
  };
}
