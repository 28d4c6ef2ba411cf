/** Runs commands of the program one after the other in this process: a start costs more than most commands. */
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Ended, HostedCommand } from './commands.ts';

/** How long a command may need to close what it has opened. */
const closingMsMax = 10_000;

/** Next to the program that tests start in processes of their own. */
const main =
  process.env.TEST_PROGRAM === undefined
    ? '../../src/program/main.ts'
    : pathToFileURL(join(dirname(process.env.TEST_PROGRAM), '../dist/main.js')).href;

let run = 0;
let last: Promise<void> = Promise.resolve();

process.on('message', (command: HostedCommand) => {
  last = last.then(async () => {
    process.send?.(await runCommand(command));
  });
});
process.once('disconnect', () => process.exit());

async function runCommand({ parameters, folder, env }: HostedCommand): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  const restore = (['stdout', 'stderr'] as const).map((name) =>
    captureStream(process[name], (text) => {
      output[name] += text;
    }),
  );
  process.chdir(folder);
  process.env = { ...env };
  process.argv = [process.execPath, 'triglyph', ...parameters];
  process.exitCode = 0;
  const before = process.getActiveResourcesInfo();
  run += 1;
  // Another URL is another module, which runs again. The modules that it imports stay loaded.
  await import(`${main}?run=${run}`);
  const left = await findLeftOpen(before);
  if (left.length > 0) output.stderr += `the command leaves open, and its process would not end: ${left.join(', ')}\n`;
  for (const each of restore) each();
  return { code: Number(process.exitCode), ...output };
}

function captureStream(stream: NodeJS.WriteStream, onText: (text: string) => void): () => void {
  const { write } = stream;
  stream.write = (text: string | Uint8Array) => {
    onText(String(text));
    return true;
  };
  return () => {
    stream.write = write;
    stream.removeAllListeners('error');
  };
}

/** Waits for sockets, timers and files to be closed; returns those that are not, and would keep a process alive. */
async function findLeftOpen(before: readonly string[]): Promise<readonly string[]> {
  const endsAt = performance.now() + closingMsMax;
  for (;;) {
    const left = process.getActiveResourcesInfo();
    for (const name of before) if (left.includes(name)) left.splice(left.indexOf(name), 1);
    if (left.length === 0 || performance.now() > endsAt) return left;
    await wait(2);
  }
}
