/** What a start of the program costs, and how soon it answers where an account updater hangs. */
import { execFileSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { environment } from '../../test/support/commands.ts';
import { ask, basic, prepareProduction, type Server, startServer } from '../../test/support/server.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { startUpdater } from '../../test/support/updater.ts';
import { cpuUs, memoryBytes } from '../server.ts';
import { type Budget, requireThat, timeOf } from './budget.ts';

const updaterMsMax = 500;
/** As users start it. The first start bundles, so its measurement does not count. */
const file = fileURLToPath(new URL('../../bin/triglyph.mjs', import.meta.url));

export const programBudgets: readonly Budget[] = [
  {
    name: '`serve`: from its start until it is ready',
    max: 1_000,
    unit: 'ms',
    measure: () => withServer({}, async ({ readyMs }) => readyMs),
  },
  {
    name: '`serve`: CPU time until it is ready',
    max: 500,
    unit: 'ms',
    measure: () => withServer({}, async ({ pid }) => cpuUs(pid) / 1_000),
  },
  {
    name: '`credential list`: CPU time',
    max: 200,
    unit: 'ms',
    measure: measureCommand,
  },
  {
    name: '`serve`: memory while idle',
    max: 115,
    unit: 'MB',
    measure: () =>
      withServer({}, async ({ pid, admin }) => {
        requireThat((await fetch(`${admin}/readyz`)).status === 200, 'a ready server is not ready');
        await wait(1_500);
        return memoryBytes(pid, 'VmRSS') / 2 ** 20;
      }),
  },
  {
    name: '`demo`: CPU time to generate 10,000 shoppers',
    max: 20_000,
    unit: 'ms',
    measure: measureDemo,
  },
  {
    name: `An account updater hangs: the answer, with a limit of ${updaterMsMax} ms`,
    max: updaterMsMax + 500,
    unit: 'ms',
    measure: measureHungUpdater,
  },
];

type Measure = (server: Server, call: (operation: string, input: object) => Promise<string>) => Promise<number>;

async function withServer(also: Readonly<Record<string, string>>, measure: Measure): Promise<number> {
  const folder = tempFolder();
  const { variables, credential } = await prepareProduction(folder.path, also);
  const server = await startServer('serve', folder.path, variables, { file });
  const call = async (operation: string, input: object) => {
    const authorization = basic(credential.username, credential.secret);
    const { status, answer } = await ask(
      server.callers,
      operation,
      { merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1', ...input },
      authorization,
    );
    requireThat(status === 200, `${operation} is answered ${status}`);
    return String(answer.recurringDetailReference);
  };
  try {
    return await measure(server, call);
  } finally {
    await server.stop();
    folder.discard();
  }
}

async function measureCommand(): Promise<number> {
  const folder = tempFolder();
  const { variables } = await prepareProduction(folder.path);
  const parameters = ['-c', '"$0" "$@" > /dev/null && times', process.execPath, file, 'credential', 'list'];
  const printed = execFileSync('sh', parameters, { cwd: folder.path, env: environment(variables), encoding: 'utf8' });
  folder.discard();
  // The second line is about the processes that the shell has waited for.
  const [user, system] = [...printed.split('\n')[1]!.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  return (user! + system!) * 1_000;
}

async function measureDemo(): Promise<number> {
  const folder = tempFolder();
  const server = await startServer('demo', folder.path, { DEMO_SHOPPERS: '10000' }, { file });
  try {
    return cpuUs(server.pid) / 1_000;
  } finally {
    await server.stop();
    folder.discard();
  }
}

async function measureHungUpdater(): Promise<number> {
  const updater = await startUpdater();
  updater.answer = () => {};
  const variables = { UPDATER: 'http', UPDATER_URL: updater.url, UPDATER_MS_MAX: String(updaterMsMax) };
  try {
    return await withServer(variables, async (_, call) => {
      const card = { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' };
      const selectedRecurringDetailReference = await call('storeToken', { card, recurring: { contract: 'RECURRING' } });
      return timeOf(() => call('scheduleAccountUpdater', { reference: 'check', selectedRecurringDetailReference }));
    });
  } finally {
    await updater.close();
  }
}
