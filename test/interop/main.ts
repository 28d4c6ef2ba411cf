/** Runs every client stack and page against the demo, and `serve --wsdl` in front of every server: installs what is missing, exits with 1 where one fails. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeBetweenMarkers } from '../../scripts/section.ts';
import { startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { runVaults, type VaultOutcome, vaultSources } from './attachments.ts';
import { serverStacks } from './depot-stacks.ts';
import { type DepotOutcome, runDepot } from './depots.ts';
import { deprecatedConfig } from './deprecated.ts';
import { install, installPackages, modulesFolder } from './install.ts';
import { comparable, followPage, packagesOf, readPage } from './page.ts';
import { clientsPage, serversTable } from './report.ts';
import { type Outcome, passed, runClient } from './run-client.ts';
import { absent, stacks } from './stacks.ts';

const docs = join(import.meta.dirname, '../../docs');
const rootModules = join(import.meta.dirname, '../../node_modules');
const { values } = parseArgs({
  options: { only: { type: 'string' }, write: { type: 'boolean' }, deprecated: { type: 'boolean' } },
});
const wanted = values.only?.split(',');
const isWanted = (name: string) => wanted === undefined || wanted.includes(name);

const chosen = stacks.filter(({ name }) => isWanted(name));
const servers = serverStacks.filter(({ name }) => isWanted(name) || isWanted('servers'));
const pages = readdirSync(join(docs, 'clients'))
  .map((file) => basename(file, '.md'))
  .filter(isWanted)
  .map((name) => ({ name, blocks: readPage(name) }));

const hasVaults = isWanted('attachments');
const missing = [
  ...install([...[...chosen, ...servers].map(({ source }) => source), ...(hasVaults ? vaultSources : [])]),
  ...installPackages(pages.flatMap(({ blocks }) => packagesOf(blocks))),
];
const folder = tempFolder();
if (values.deprecated) writeFileSync(join(folder.path, 'triglyph.config.json'), JSON.stringify(deprecatedConfig));
const server = await startServer('demo', folder.path);
const outcomes: Outcome[] = [];
const depots: DepotOutcome[] = [];
let vaults: readonly VaultOutcome[] = [];
let failed = 0;
try {
  for (const stack of chosen) {
    for (const run of stack.runs) {
      const place = join(folder.path, `${stack.name}-${outcomes.length}`);
      const outcome = await runClient(stack, run, server.callers, place, modulesFolder);
      outcomes.push(outcome);
      print(outcome);
    }
  }
  for (const { name, blocks } of pages) {
    const problem = await faultOfPage(name, blocks);
    say(problem === undefined ? 'ok' : 'FAILED', `the page ${name}.md`, problem);
  }
  for (const stack of servers) {
    const outcome = await runDepot(stack, folder.path);
    depots.push(outcome);
    const { calls, differences } = outcome;
    const detail = differences.length === 0 ? undefined : differences.join('\n');
    say(detail === undefined ? 'ok' : 'FAILED', `the server ${stack.title}, ${calls} calls`, detail);
  }
  if (hasVaults) vaults = await runVaults(folder.path);
  for (const { title, difference } of vaults) say(difference === undefined ? 'ok' : 'FAILED', title, difference);
} finally {
  await server.stop();
  folder.discard();
}
for (const [name, source] of absent) process.stdout.write(`not run ${name}: only in ${source}\n`);
for (const each of missing) say('FAILED', `${each} could not be installed`, undefined);
if (values.write && failed === 0) {
  if (wanted === undefined) writeFileSync(join(docs, 'clients.md'), clientsPage(outcomes));
  if (depots.length === serverStacks.length)
    writeBetweenMarkers(new URL('../../docs/import-wsdl.md', import.meta.url), 'servers', serversTable(depots));
}
const runs = outcomes.length + pages.length + depots.length + vaults.length + missing.length;
process.stdout.write(`${runs - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function faultOfPage(name: string, blocks: ReturnType<typeof readPage>): Promise<string | undefined> {
  const place = join(folder.path, `page-${name}`);
  mkdirSync(place);
  try {
    const steps = await followPage(blocks, server.callers, place, rootModules);
    const wrong = steps.find(
      ({ printed, expected }) => expected !== undefined && comparable(printed) !== comparable(expected),
    );
    return wrong && `${wrong.command}printed\n${wrong.printed}`;
  } catch (thrown) {
    return String(thrown);
  }
}

function print(outcome: Outcome): void {
  const { stack, run, failure, mismatches } = outcome;
  // After an early end, most of what is missing follows from it.
  const shown = failure === undefined ? mismatches : mismatches.filter(({ text }) => !text.includes('is missing'));
  const texts = [...(failure === undefined ? [] : [failure]), ...shown.map(({ aspect, text }) => `${aspect}: ${text}`)];
  const title = `${stack.title}, ${run.document}, ${run.variant}`;
  say(passed(outcome) ? 'ok' : 'FAILED', title, texts.length === 0 ? undefined : texts.join('\n'));
}

function say(result: 'ok' | 'FAILED', title: string, detail: string | undefined): void {
  if (result === 'FAILED') failed += 1;
  process.stdout.write(`${result.padEnd(6)} ${title}\n`);
  if (detail !== undefined) process.stdout.write(`${detail.replace(/^/gm, '       ')}\n`);
}
