/** `npm run bench`: measures every section of docs/bench.md, or with `--against DIR` compares this checkout with another one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compareCheckouts } from './compare.ts';
import { measureEmbeddedWrites } from './embedded-writes.ts';
import { shoppersMin } from './fleet.ts';
import { measureListings } from './listings.ts';
import { provideLoad } from './load.ts';
import { type CompiledPeers, compiledNames, compilePeers } from './peer/compiled.ts';
import { printFindings } from './results.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { printReport, sectionOptions } from './section.ts';

/** Sections that are programs of their own: their files and parameters. Each ends with 1 where a limit is missed. */
const programs = {
  codecs: ['codecs.ts', '--rounds', '5'],
  openings: ['openings.ts'],
  keyed: ['keyed.ts'],
  memory: ['memory.ts'],
  engines: ['engines.ts'],
  orders: ['orders/main.ts'],
  postgres: ['postgres/main.ts', '--callers', '12,32,64', '--rounds', '1', '--seconds', '3'],
  processes: ['processes.ts'],
  recovery: ['recovery/main.ts'],
  embedding: ['embedding.ts'],
  callers: ['callers.ts'],
  upstream: ['upstream/main.ts'],
  stores: ['upstream/stores.ts'],
  shadow: ['shadow.ts'],
  security: ['security/main.ts'],
  costs: ['costs.ts'],
  commands: ['commands.ts'],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;
type ProgramName = keyof typeof programs;
const programNames = Object.keys(programs) as readonly ProgramName[];
const sections: readonly string[] = [...scenarios.map(({ name }) => name), 'writes', ...programNames];

/** What `--quick` measures by default. */
const quickSections: typeof sections = ['cards', 'sealed', 'fields', 'codecs', 'openings', 'keyed', 'upstream'];

const { values: options } = parseArgs({
  options: {
    ...sectionOptions,
    /** The folder of another checkout. */
    against: { type: 'string' },
    /** Names of sections, with commas between them. */
    only: { type: 'string' },
    /** Of each listing. */
    rounds: { type: 'string', default: '3' },
  },
});

const comparedShoppers = 10_000;
const plan = options.quick
  ? { rounds: 1, seconds: 2, warmUpSeconds: 2, leadInSeconds: 1 }
  : { rounds: Number(options.rounds), seconds: 1, warmUpSeconds: 2, leadInSeconds: 1 };

const writesPlan = options.quick
  ? { rounds: 1, seconds: 2, warmUpSeconds: 2, shoppers: 500 }
  : { rounds: 3, seconds: 2, warmUpSeconds: 2, shoppers: 2_000 };
const comparedPlan = options.quick ? plan : { rounds: 5, seconds: 3, warmUpSeconds: 5, leadInSeconds: 1 };

const folder = mkdtempSync(join(tmpdir(), 'triglyph-bench-'));
try {
  provideLoad();
  const { against } = options;
  process.exitCode = (await (against === undefined ? measureAll() : compare(against))) ? 0 : 1;
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A section that fails does not keep the others from being measured. */
async function measureAll(): Promise<boolean> {
  const names = options.only?.split(',') ?? (options.quick ? quickSections : sections);
  const unknown = names.find((name) => !sections.includes(name));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: choose among ${sections.join(', ')}`);
  const chosen = scenarios.filter(({ name }) => names.includes(name));
  const needed = compiledNames.filter((name) => chosen.some(({ servers }) => servers.includes(name)));
  const compiled = compilePeers(join(folder, 'peers'), needed);
  for (const how of compiled.missing.values()) console.log(how);
  const missed: string[] = [];
  const section = async (name: string, measure: () => Promise<boolean>): Promise<void> => {
    console.log(`## ${name}\n`);
    const startedAt = performance.now();
    try {
      if (!(await measure())) missed.push(name);
    } catch (thrown) {
      console.error(thrown);
      missed.push(name);
    }
    console.log(`\n(${((performance.now() - startedAt) / 1000).toFixed(0)} s)\n`);
  };
  for (const scenario of chosen) await section(scenario.name, () => measureScenario(scenario, compiled));
  if (names.includes('writes'))
    await section('writes', async () =>
      printReport('writes', await measureEmbeddedWrites(join(folder, 'writes'), writesPlan), options.write),
    );
  for (const name of programNames) if (names.includes(name)) await section(name, () => runProgram(name));
  console.log(missed.length === 0 ? 'Every limit holds.' : `Missed in: ${missed.join(', ')}.`);
  return missed.length === 0;
}

async function measureScenario(whole: Scenario, compiled: CompiledPeers): Promise<boolean> {
  const scenario = options.quick ? shortened(whole) : whole;
  const report = await measureListings(join(folder, scenario.name), scenario, plan, compiled, {
    againstPage: options.quick,
  });
  return printReport(scenario.name, report, options.write);
}

function shortened(scenario: Scenario): Scenario {
  const { dataset } = scenario;
  return { ...scenario, dataset: { ...dataset, shoppers: Math.min(dataset.shoppers, shoppersMin) } };
}

async function runProgram(name: ProgramName): Promise<boolean> {
  const [file, ...parameters] = programs[name];
  const path = fileURLToPath(new URL(file, import.meta.url));
  const flags = (['quick', 'write'] as const).filter((flag) => options[flag]).map((flag) => `--${flag}`);
  // The examples import the package by its name.
  const preload = fileURLToPath(new URL('../scripts/own-package.mjs', import.meta.url));
  const node = ['--disable-warning=ExperimentalWarning', '--import', preload, path, ...parameters, ...flags];
  const [code] = await once(spawn(process.execPath, node, { stdio: 'inherit' }), 'exit');
  return code === 0;
}

async function compare(other: string): Promise<boolean> {
  const { text, findings } = await compareCheckouts(folder, other, comparedShoppers, comparedPlan);
  console.log([...text, printFindings(findings)].join('\n\n'));
  return findings.every(({ holds }) => holds);
}
