/** Measures many documents, each in a thread of its own that is ended where it takes too long. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** For one document. */
export const timeLimitMs = 60_000;

/** `module`: posts a result for each file that it is sent. `failed`: the result of a document that ends its thread, or takes too long. */
export async function measureAll<M>(
  all: readonly string[],
  module: URL,
  failed: (file: string, crash: string) => M,
): Promise<readonly M[]> {
  const results: M[] = [];
  let worker = new Worker(module);
  for (const file of all) {
    const answered = Promise.withResolvers<M>();
    const end = (crash: string) => {
      void worker.terminate();
      worker = new Worker(module);
      answered.resolve(failed(file, crash));
    };
    const timer = setTimeout(() => end('takes too long'), timeLimitMs);
    worker.once('message', answered.resolve);
    worker.once('error', (thrown: unknown) => end(String(thrown)));
    worker.postMessage(file);
    results.push(await answered.promise);
    clearTimeout(timer);
    worker.removeAllListeners('message').removeAllListeners('error');
  }
  await worker.terminate();
  return results;
}

/** `path`: a document with an ending, a folder, or a file that lists documents, one in each line. */
export function filesOf(path: string, ending: RegExp): readonly string[] {
  if (statSync(path).isFile()) {
    if (ending.test(path)) return [path];
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  }
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .sort();
}
