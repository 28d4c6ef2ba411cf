/** `npm run bench`: measures every section of docs/bench.md, or with `--against DIR` compares this checkout with another one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compareCheckouts } from './compare.ts';
import { measureListings } from './listings.ts';
import { provideLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { writeSection } from './page.ts';
import { type CompiledPeers, compiledNames, compilePeers } from './peer/compiled.ts';
import { printFindings } from './results.ts';
import { type Scenario, scenarios } from './scenarios.ts';

/** Sections that are programs of their own: their files and parameters. Each ends with 1 where a limit is missed. */
const programs = {
  codecs: { file: 'codecs.ts', parameters: ['--rounds', '5'] },
  writes: { file: 'writes.ts', parameters: ['--seconds', '2'] },
  engines: { file: 'engines.ts', parameters: [] },
  orders: { file: 'orders/main.ts', parameters: [] },
  postgres: { file: 'postgres/main.ts', parameters: ['--callers', '12,32,64', '--rounds', '1', '--seconds', '3'] },
  processes: { file: 'processes.ts', parameters: [] },
  recovery: { file: 'recovery/main.ts', parameters: [] },
  embedding: { file: 'embedding.ts', parameters: [] },
  callers: { file: 'callers.ts', parameters: [] },
  upstream: { file: 'upstream/main.ts', parameters: [] },
  stores: { file: 'upstream/stores.ts', parameters: [] },
  shadow: { file: 'shadow.ts', parameters: [] },
  security: { file: 'security/main.ts', parameters: [] },
  costs: { file: 'costs.ts', parameters: [] },
  commands: { file: 'commands.ts', parameters: [] },
} as const;
type ProgramName = keyof typeof programs;
const programNames = Object.keys(programs) as readonly ProgramName[];
const sections: readonly (Scenario['name'] | ProgramName)[] = [...scenarios.map(({ name }) => name), ...programNames];

const { values: options } = parseArgs({
  options: {
    /** One short round. */
    quick: { type: 'boolean', default: false },
    /** Renews docs/bench.md. */
    write: { type: 'boolean', default: false },
    /** The folder of another checkout. */
    against: { type: 'string' },
    /** Names of sections, with commas between them. */
    only: { type: 'string', default: sections.join(',') },
    /** Of each listing. */
    rounds: { type: 'string', default: '3' },
  },
});

const comparedShoppers = 10_000;
const quickShoppers = 500;
const plan = options.quick
  ? { rounds: 1, seconds: 2, warmUpSeconds: 2, leadInSeconds: 1 }
  : { rounds: Number(options.rounds), seconds: 1, warmUpSeconds: 2, leadInSeconds: 1 };

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
  const names = options.only.split(',');
  const unknown = names.find((name) => !sections.some((section) => section === name));
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
  for (const name of programNames) if (names.includes(name)) await section(name, () => runProgram(name));
  console.log(missed.length === 0 ? 'Every limit holds.' : `Missed in: ${missed.join(', ')}.`);
  return missed.length === 0;
}

async function measureScenario(whole: Scenario, compiled: CompiledPeers): Promise<boolean> {
  const scenario = options.quick ? shortened(whole) : whole;
  const { text, holds } = await measureListings(join(folder, scenario.name), scenario, plan, compiled);
  console.log(text);
  if (options.write) writeSection(scenario.name, text);
  return holds;
}

function shortened(scenario: Scenario): Scenario {
  const { dataset } = scenario;
  return { ...scenario, dataset: { ...dataset, shoppers: Math.min(dataset.shoppers, quickShoppers) } };
}

async function runProgram(name: ProgramName): Promise<boolean> {
  const { file, parameters } = programs[name];
  const path = fileURLToPath(new URL(file, import.meta.url));
  const flags = (['quick', 'write'] as const).filter((flag) => options[flag]).map((flag) => `--${flag}`);
  // The examples import the package by its name.
  const preload = fileURLToPath(new URL('../scripts/own-package.mjs', import.meta.url));
  const node = ['--disable-warning=ExperimentalWarning', '--import', preload, path, ...parameters, ...flags];
  const [code] = await once(spawn(process.execPath, node, { stdio: 'inherit' }), 'exit');
  return code === 0;
}

async function compare(other: string): Promise<boolean> {
  const { table, findings } = await compareCheckouts(folder, other, comparedShoppers, comparedPlan);
  console.log(`${describeMachine()}\n\n${table}\n\n${printFindings(findings)}`);
  return findings.every(({ holds }) => holds);
}
