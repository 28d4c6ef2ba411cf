/** `npm run bench`: compares Triglyph with its peers, or with `--against DIR` this checkout with another one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareCheckouts } from './compare.ts';
import { measureListings } from './listings.ts';
import { provideLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { writeSection } from './page.ts';
import { compiledNames, compilePeers } from './peer/compiled.ts';
import { printFindings } from './results.ts';
import { type Scenario, scenarios } from './scenarios.ts';

const { values: options } = parseArgs({
  options: {
    /** One short round. */
    quick: { type: 'boolean', default: false },
    /** Renews docs/bench.md. */
    write: { type: 'boolean', default: false },
    /** The folder of another checkout. */
    against: { type: 'string' },
    /** Names of scenarios, with commas between them. */
    only: { type: 'string', default: scenarios.map(({ name }) => name).join(',') },
  },
});

const comparedShoppers = 10_000;
const quickShoppers = 500;
const plan = options.quick
  ? { rounds: 1, seconds: 2, warmUpSeconds: 2, leadInSeconds: 1 }
  : { rounds: 5, seconds: 3, warmUpSeconds: 5, leadInSeconds: 1 };

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

async function measureAll(): Promise<boolean> {
  const names = options.only.split(',');
  const unknown = names.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown !== undefined)
    throw new Error(`--only ${unknown}: choose among ${scenarios.map(({ name }) => name).join(', ')}`);
  let hold = true;
  const compiled = compilePeers(join(folder, 'peers'), compiledNames);
  for (const how of compiled.missing.values()) console.log(how);
  for (const each of scenarios.filter(({ name }) => names.includes(name))) {
    const scenario = options.quick ? shortened(each) : each;
    const { text, holds } = await measureListings(join(folder, scenario.name), scenario, plan, compiled);
    console.log(`## ${scenario.name}\n\n${text}\n`);
    if (options.write) writeSection(scenario.name, text);
    hold &&= holds;
  }
  return hold;
}

function shortened(scenario: Scenario): Scenario {
  const { dataset } = scenario;
  return { ...scenario, dataset: { ...dataset, shoppers: Math.min(dataset.shoppers, quickShoppers) } };
}

async function compare(other: string): Promise<boolean> {
  const { table, findings } = await compareCheckouts(folder, other, comparedShoppers, plan);
  console.log(`${describeMachine()}\n\n${table}\n\n${printFindings(findings)}`);
  return findings.every(({ holds }) => holds);
}
