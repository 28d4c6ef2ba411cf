/**
 * Makes stubs of derived WSDLs: `npm run interop:stubs -- [FOLDER|LIST] [--only zeep,php] [--write]`.
 *
 * It imports each document, derives the WSDL of the gateway, and gives it to each program. One that fails gets the original, too: where
 * that fails in the same step, or an earlier one, the derived WSDL is not the cause. Without a name it takes the corpus in `test/wsdl`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeBetweenMarkers } from '../../scripts/section.ts';
import { filesOf } from '../../scripts/wsdl-coverage/files.ts';
import { importWsdl } from '../../src/documents/wsdl/import-wsdl.ts';
import { Unread } from '../../src/documents/wsdl/read-location.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { install } from './install.ts';
import { versionOf } from './report.ts';
import { type StubTool, stubTools } from './stub-tools.ts';

/** A derived document, without and with a binding of SOAP 1.2. */
interface Derived {
  readonly original: string;
  readonly single: string;
  readonly both: string;
  readonly operations: number;
}

interface Count {
  documents: number;
  /** By the number of steps that went well: all of them is the last one. */
  readonly passed: number[];
  /** Of those that fail, those whose original does not. */
  ours: number;
}

const timeLimitMs = 300_000;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, write: { type: 'boolean' } },
});
const root = resolve(positionals[0] ?? 'test/wsdl/corpus');
const tools = stubTools.filter(({ name }) => values.only?.split(',').includes(name) ?? true);
const missing = install(tools.map(({ source }) => source));
if (missing.length > 0) throw new Error(`${missing.join(', ')} could not be installed`);
const folder = tempFolder();
const counts = new Map(
  tools.map((tool) => [tool, { documents: 0, passed: tool.steps.map(() => 0), ours: 0 } as Count]),
);
let runs = 0;
try {
  for (const file of filesOf(root))
    for (const derived of await derive(file)) for (const tool of tools) check(tool, derived);
} finally {
  folder.discard();
}
const lines = tools.map((tool) => row(tool, counts.get(tool)!));
process.stdout.write(`${lines.join('\n')}\n`);
if (values.write && tools.length === stubTools.length && positionals.length === 0)
  writeBetweenMarkers(new URL('../../docs/import-wsdl.md', import.meta.url), 'stubs', table());
process.exitCode = [...counts.values()].every(({ ours }) => ours === 0) ? 0 : 1;

async function derive(file: string): Promise<readonly Derived[]> {
  const { services } = await importWsdl(file, { allowNetwork: false, folder: '/' }).catch((thrown: unknown) => {
    if (thrown instanceof Unread) return { services: [] };
    throw thrown;
  });
  return services.map(({ service }, at) => {
    const [single, both] = [false, true].map((soap12) => {
      const place = join(folder.path, `${basename(file, '.wsdl')}-${at}${soap12 ? '-12' : ''}.wsdl`);
      writeFileSync(place, deriveWsdl(service, { address: 'http://gateway.example/', soap12 }));
      return place;
    }) as [string, string];
    return { original: file, single, both, operations: service.operations.size };
  });
}

function check(tool: StubTool, derived: Derived): void {
  const count = counts.get(tool)!;
  count.documents += 1;
  const result = run(tool, tool.soap12 ? derived.both : derived.single, derived.operations);
  for (let at = 0; at < result.steps; at += 1) count.passed[at]! += 1;
  if (result.failure === undefined) return;
  const original = run(tool, derived.original, 0);
  const isOurs = original.steps > result.steps;
  if (isOurs) count.ours += 1;
  const [title] = tool.steps[result.steps]!;
  const whose = isOurs ? 'FAILED' : 'as the original';
  process.stdout.write(`${whose} ${tool.title} ${title} ${relative(root, derived.original)}: ${result.failure}\n`);
}

/** `steps`: how many went well. */
function run({ steps }: StubTool, document: string, operations: number): { steps: number; failure?: string } {
  const cwd = join(folder.path, `stubs-${runs}`);
  runs += 1;
  mkdirSync(cwd);
  const env = { ...process.env, DOCUMENT: document, OPERATIONS: String(operations), LC_ALL: 'C.UTF-8' };
  for (const [at, [, script]] of steps.entries()) {
    const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', script], {
      cwd,
      env,
      encoding: 'utf8',
      timeout: timeLimitMs,
      maxBuffer: 1 << 26,
    });
    if (status !== 0) return { steps: at, failure: lastLines(`${stdout}\n${stderr}`) };
  }
  return { steps: steps.length };
}

/** Without the stack of an exception. */
function lastLines(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  return lines.slice(-6).join('\n    ');
}

function row(tool: StubTool, { documents, passed, ours }: Count): string {
  const done = (title: string) => {
    const at = tool.steps.findIndex(([each]) => each === title);
    return at === -1 ? '' : String(passed[at]);
  };
  return `| ${tool.title} | ${versionOf(tool)} | ${documents} | ${done('reads')} | ${done('generates')} | ${done('compiles')} | ${ours} |`;
}

function table(): string {
  return `| program | version | documents | read | generated | compiled | worse than the original |
|---|---|---:|---:|---:|---:|---:|
${lines.join('\n')}`;
}
