/** `node bench/embedding.ts`: the start and the reset of a gateway inside a test, in CPU time, from the compiled package. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine } from './machine.ts';
import { limited, median } from './results.ts';
import { runSection, sectionOptions } from './section.ts';

const { values: options } = parseArgs({ options: sectionOptions });

const processes = options.quick ? 3 : 15;
const readyMsMax = 150;
const resetMsMax = 5;
const root = join(import.meta.dirname, '..');

/** In milliseconds of CPU time, all threads of the process included. */
interface Start {
  readonly imported: number;
  readonly ready: number;
  readonly second: number;
  readonly reset: number;
  /** The first call of the process, with the libraries that it loads, and the second. */
  readonly firstCall: number;
  readonly secondCall: number;
}

const program = `
const cpu = (since) => { const { user, system } = process.cpuUsage(since); return (user + system) / 1000; };
const begun = process.cpuUsage();
const { builtIn, createGateway } = await import('triglyph');
const { withControls } = await import('triglyph/testing');
const imported = cpu(begun);
const gateway = await createGateway(withControls(builtIn()));
const ready = cpu(begun);
const before = process.cpuUsage();
const other = await createGateway(withControls(builtIn()));
const second = cpu(before);
const resetting = process.cpuUsage();
for (let round = 0; round < 20; round++) await gateway.reset();
const reset = cpu(resetting) / 20;
const call = async () => {
  const body = '{"merchantAccount":"DemoMerchant","shopperReference":"shopper-1"}';
  const headers = { 'x-api-key': 'demo-api-key', 'content-type': 'application/json' };
  const calling = process.cpuUsage();
  const request = new Request('http://gateway/pal/servlet/Recurring/v25/disable', { method: 'POST', headers, body });
  await (await gateway.fetch(request)).arrayBuffer();
  return cpu(calling);
};
const firstCall = await call();
const secondCall = await call();
await Promise.all([gateway.close(), other.close()]);
console.log(JSON.stringify({ imported, ready, second, reset, firstCall, secondCall }));
`;

await runSection('embedding', options, async (folder) => {
  // The name of the package leads to the build of this checkout.
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'ignore' });
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'cache') };
  const run = (text: string): string =>
    execFileSync(process.execPath, ['--input-type=module', '--eval', text], { cwd: root, env, encoding: 'utf8' });
  const start = (): Start => JSON.parse(run(program)) as Start;
  // Fills the compile cache.
  start();
  const starts = Array.from({ length: processes }, start);
  const of = (member: keyof Start): number => median(starts.map((each) => each[member]));
  const parts = `Of a gateway that is ready, the import takes ${of('imported').toFixed(0)} ms. A second gateway takes ${of('second').toFixed(0)} ms. The first call takes ${of('firstCall').toFixed(0)} ms, since it loads Koa and the \`Request\` of Node, and the second one ${of('secondCall').toFixed(1)} ms.`;
  return {
    text: [describeMachine(), parts],
    findings: [
      limited('a gateway in memory is ready, import included', of('ready'), 'at most', readyMsMax, 'ms', 1),
      limited('`reset()`', of('reset'), 'at most', resetMsMax, 'ms', 1),
    ],
  };
});
