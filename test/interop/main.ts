/** Runs every client stack and page against the demo, and `serve --wsdl` and `serve --openapi` in front of every server: installs what is missing, exits with 1 where one fails. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeBetweenMarkers } from '../../scripts/section.ts';
import { startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { runVaults, type VaultOutcome, vaultSources } from './attachments.ts';
import { type DepotStack, serverStacks } from './depot-stacks.ts';
import { deprecatedConfig } from './deprecated.ts';
import { install, installPackages, modulesFolder } from './install.ts';
import { documents, type OperationsOutcome, runOperations } from './operations/run.ts';
import { operationsStacks } from './operations/stacks.ts';
import { comparable, followPage, packagesOf, readPage } from './page.ts';
import { recordingVariables, replayAgainst } from './recorded.ts';
import { clientsPage, operationsTable, serversTable, shopsTable } from './report.ts';
import { type Outcome, passed, runClient } from './run-client.ts';
import { runDepot, runShop, type ServerOutcome } from './run-servers.ts';
import { type ShopStack, shopStacks } from './shop-stacks.ts';
import { absent, stacks } from './stacks.ts';

const docs = join(import.meta.dirname, '../../docs');
const openApiPage = new URL('../../docs/import-openapi.md', import.meta.url);
const rootModules = join(import.meta.dirname, '../../node_modules');
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    write: { type: 'boolean' },
    deprecated: { type: 'boolean' },
    /** Records the calls of the stacks, and replays them against a demo of this commit. */
    'against-commit': { type: 'string' },
  },
});
const wanted = values.only?.split(',');
const isWanted = (name: string) => wanted === undefined || wanted.includes(name);

const chosen = stacks.filter(({ name }) => isWanted(name) || isWanted('stacks'));
const servers = serverStacks.filter(({ name }) => isWanted(name) || isWanted('servers'));
const shops = shopStacks.filter(({ name }) => isWanted(name) || isWanted('servers'));
const pages = readdirSync(join(docs, 'clients'))
  .map((file) => basename(file, '.md'))
  .filter(isWanted)
  .map((name) => ({ name, blocks: readPage(name) }));

const callers = isWanted('operations') ? operationsStacks : [];
const hasVaults = isWanted('attachments');
const missing = [
  ...install([
    ...[...chosen, ...servers, ...shops, ...callers].map(({ source }) => source),
    ...(hasVaults ? vaultSources : []),
  ]),
  ...installPackages(pages.flatMap(({ blocks }) => packagesOf(blocks))),
];
const folder = tempFolder();
if (values.deprecated) writeFileSync(join(folder.path, 'triglyph.config.json'), JSON.stringify(deprecatedConfig));
const against = values['against-commit'];
const server = await startServer('demo', folder.path, against === undefined ? {} : recordingVariables(folder.path));
const outcomes: Outcome[] = [];
const depots: ServerOutcome<DepotStack>[] = [];
const shopOutcomes: ServerOutcome<ShopStack>[] = [];
const called: OperationsOutcome[] = [];
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
  for (const stack of servers) depots.push(printServer(await runDepot(stack, folder.path)));
  for (const stack of shops) shopOutcomes.push(printServer(await runShop(stack, folder.path)));
  for (const stack of callers)
    for (const each of documents) called.push(printCalls(await runOperations(stack, each, folder.path)));
  if (hasVaults) vaults = await runVaults(folder.path);
  for (const { title, difference } of vaults) say(difference === undefined ? 'ok' : 'FAILED', title, difference);
  if (against !== undefined) {
    await server.stop();
    const { compared, different, skipped, failures, differences } = await replayAgainst(against, folder.path);
    const isSame = compared > 0 && different === 0 && Object.keys(failures).length === 0;
    const detail = isSame ? undefined : JSON.stringify({ failures, differences: differences.slice(0, 10) }, null, 2);
    const left = Object.entries(skipped).map(([reason, count]) => `, ${count} not sent: ${reason}`);
    say(isSame ? 'ok' : 'FAILED', `${compared} recorded calls, replayed against ${against}${left.join('')}`, detail);
  }
} finally {
  await server.stop();
  folder.discard();
}
for (const [name, source] of absent) process.stdout.write(`not run ${name}: only in ${source}\n`);
for (const each of missing) say('FAILED', `${each} could not be installed`, undefined);
if (values.write && failed === 0) {
  if (chosen.length === stacks.length) writeFileSync(join(docs, 'clients.md'), clientsPage(outcomes));
  if (depots.length === serverStacks.length)
    writeBetweenMarkers(new URL('../../docs/import-wsdl.md', import.meta.url), 'servers', serversTable(depots));
  if (shopOutcomes.length === shopStacks.length) writeBetweenMarkers(openApiPage, 'servers', shopsTable(shopOutcomes));
  if (called.length > 0) writeBetweenMarkers(openApiPage, 'operations', operationsTable(called));
}
const runs =
  (against === undefined ? 0 : 1) +
  outcomes.length +
  pages.length +
  depots.length +
  shopOutcomes.length +
  called.length +
  vaults.length +
  missing.length;
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

function printServer<O extends ServerOutcome<DepotStack | ShopStack>>(outcome: O): O {
  const { stack, calls, differences } = outcome;
  const detail = differences.length === 0 ? undefined : differences.join('\n');
  say(detail === undefined ? 'ok' : 'FAILED', `the server ${stack.title}, ${calls} calls`, detail);
  return outcome;
}

function printCalls(outcome: OperationsOutcome): OperationsOutcome {
  const { stack, document, operations, failures } = outcome;
  const detail = failures.length === 0 ? undefined : failures.join('\n');
  say(detail === undefined ? 'ok' : 'FAILED', `${operations} operations of ${document} by ${stack.title}`, detail);
  return outcome;
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
