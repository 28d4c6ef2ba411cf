/** Profiles Triglyph under load: CPU time by module, for listings in each format and writes on the embedded store, and a listing on PostgreSQL. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { keysOf } from './embedded-writes.ts';
import { launchTriglyph, shoppersMin } from './fleet.ts';
import { type LoadOptions, provideLoad, putLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { type Module, moduleOf, modules } from './modules.ts';
import { table } from './results.ts';
import { runSection, sectionOptions } from './section.ts';
import { freePort, type Server, startServer } from './server.ts';
import { type Target, targetsAt } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    ...sectionOptions,
    /** How many functions to list, by self time. */
    functions: { type: 'string', default: '0' },
  },
});

const shoppersEmbedded = options.quick ? shoppersMin : 10_000;
const warmUpSeconds = options.quick ? 2 : 5;
const seconds = options.quick ? 2 : 4;

const commit: Module = 'commit, with the wait for the disk';

interface Times {
  /** Microseconds of self time. */
  readonly byModule: ReadonlyMap<Module, number>;
  readonly byFunction: ReadonlyMap<string, number>;
  readonly busyUs: number;
}

const add = <K>(map: Map<K, number>, key: K, value: number): void => {
  map.set(key, (map.get(key) ?? 0) + value);
};

/** Adds the self time of each node to its module, or to that of the nearest caller that has one. */
const attribute = (profile: Profiler.Profile): Times => {
  const self = new Map<number, number>();
  const { samples = [], timeDeltas = [] } = profile;
  for (const [index, id] of samples.entries()) add(self, id, timeDeltas[index] ?? 0);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const byModule = new Map<Module, number>();
  const byFunction = new Map<string, number>();
  let busyUs = 0;
  const visit = (id: number, caller: Module): void => {
    const { callFrame, children = [] } = nodes.get(id)!;
    const us = self.get(id) ?? 0;
    const module = caller === commit ? caller : (moduleOf(callFrame) ?? caller);
    if (callFrame.functionName !== '(idle)' && callFrame.url !== 'node:inspector') {
      add(byModule, module, us);
      const { functionName, url, lineNumber } = callFrame;
      const file = url.replace(/^.*\/(src|node_modules)\//, '$1/');
      add(byFunction, `${module}: ${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`, us);
      busyUs += us;
    }
    for (const child of children) visit(child, module);
  };
  visit(profile.nodes[0]!.id, 'node:http and streams');
  return { byModule, byFunction, busyUs };
};

interface Subject {
  readonly title: string;
  readonly target: Target;
  readonly load?: () => LoadOptions;
}

interface Profiled {
  readonly title: string;
  readonly requests: number;
  /** CPU time of all threads by the kernel. */
  readonly cpuUs: number;
  readonly times: Times;
}

const profileSubject = async (
  { title, target, load }: Subject,
  server: Server,
  file: string,
  shoppers: number,
): Promise<Profiled> => {
  server.signal('SIGUSR2');
  await sleep(200);
  const before = server.cpuUs();
  const { requests } = await putLoad(target, seconds, shoppers, load?.());
  const cpuUs = server.cpuUs() - before;
  server.signal('SIGUSR2');
  while (!existsSync(file)) await sleep(50);
  await sleep(500);
  const times = attribute(JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile);
  rmSync(file);
  return { title, requests, cpuUs, times };
};

const print = (profiled: readonly Profiled[]): string => {
  const row = (name: string, cell: (one: Profiled) => number) => [name, ...profiled.map((one) => cell(one).toFixed(1))];
  return table(
    ['module, us per request', ...profiled.map(({ title }) => title)],
    [
      ...modules.map((module) => row(module, ({ times, requests }) => (times.byModule.get(module) ?? 0) / requests)),
      row(
        'other threads (writing the log, collecting garbage)',
        ({ cpuUs, times, requests }) => Math.max(0, cpuUs - times.busyUs) / requests,
      ),
      row('whole process, by the kernel', ({ cpuUs, requests }) => cpuUs / requests),
    ],
  );
};

const printFunctions = ({ title, times, requests }: Profiled, count: number): string =>
  [
    `${title}, by function (us per request, own time)`,
    ...[...times.byFunction]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([name, us]) => `${(us / requests).toFixed(2).padStart(7)}  ${name}`),
  ].join('\n');

/** Storing one on PostgreSQL takes several times as long. */
const shoppersOnPostgres = options.quick ? 500 : 1_000;

interface ProfiledStore {
  readonly shoppers: number;
  readonly env: Readonly<Record<string, string>>;
  readonly subjectsAt: (port: number) => readonly Subject[];
}

const embedded: ProfiledStore = {
  shoppers: shoppersEmbedded,
  env: {},
  subjectsAt(port) {
    const { triglyphSoap, triglyphJson, triglyphForm, triglyphWrite } = targetsAt({ triglyph: port });
    return [
      { title: 'list, SOAP', target: triglyphSoap },
      { title: 'list, JSON', target: triglyphJson },
      { title: 'list, FORM', target: triglyphForm },
      { title: 'storeToken', target: triglyphWrite, load: () => ({ keys: keysOf('without a key') }) },
      { title: 'storeToken with a key', target: triglyphWrite, load: () => ({ keys: keysOf('with a key') }) },
    ];
  },
};

const onPostgres = (databaseUrl: string): ProfiledStore => ({
  shoppers: shoppersOnPostgres,
  env: { DATABASE_URL: databaseUrl },
  subjectsAt: (port) => [{ title: 'list, JSON, PostgreSQL', target: targetsAt({ triglyph: port }).triglyphJson }],
});

const profileStore = async (
  { shoppers, env, subjectsAt }: ProfiledStore,
  folder: string,
): Promise<readonly Profiled[]> => {
  const port = await freePort();
  const file = join(folder, 'profile.json');
  const before = ['--import', fileURLToPath(new URL('profiler.ts', import.meta.url))];
  const server = await startServer(
    await launchTriglyph({ folder, port, shoppers, before, env: { ...env, PROFILE: file } }),
  );
  try {
    const subjects = subjectsAt(port);
    // Warms all formats twice: they share code, and the first one would pay for the warm-up.
    for (const { target, load } of [...subjects, ...subjects]) await putLoad(target, warmUpSeconds, shoppers, load?.());
    const profiled: Profiled[] = [];
    for (const subject of subjects) profiled.push(await profileSubject(subject, server, file, shoppers));
    return profiled;
  } finally {
    await server.stop();
  }
};

await runSection('profile', options, async (folder, closing) => {
  provideLoad();
  const postgres = await startPostgres();
  closing.defer(() => postgres.discard());
  const profiled: Profiled[] = [];
  for (const store of [embedded, onPostgres(postgres.url)]) profiled.push(...(await profileStore(store, folder)));
  const count = Number(options.functions);
  if (count > 0) for (const one of profiled) console.log(`${printFunctions(one, count)}\n`);
  return { text: [`${describeMachine()} The numbers include the profiler's own work.`, print(profiled)], findings: [] };
});
