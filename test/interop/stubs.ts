/**
 * Makes stubs of derived WSDLs: `npm run interop:stubs -- [FOLDER|LIST] [--openapi] [--only zeep,php] [--write]`.
 *
 * It imports each document, derives the WSDL of the gateway, and gives it to each program. Without a name it takes the public documents in
 * `../shared/corpus`, or those of `test/wsdl` or `test/openapi` if they are not there. Where a program fails it gets the original WSDL, too: where that fails in the
 * same step, or an earlier one, the derived WSDL is not the cause. A document of OpenAPI has no original.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, extname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { filesOf } from '../../scripts/measure-all.ts';
import { documentsOf } from '../../scripts/openapi-coverage/files.ts';
import { writeBetweenMarkers } from '../../scripts/section.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { Unread } from '../../src/readers/wsdl/read-location.ts';
import { type CorpusName, corpusFolder, corpusOf, ownDocuments } from '../support/corpus.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { install } from './install.ts';
import { versionOf } from './report.ts';
import { type StubTool, stubTools } from './stub-tools.ts';

/** A derived document, without and with a binding of SOAP 1.2. */
interface Derived {
  readonly file: string;
  /** Absent where the document is no WSDL. */
  readonly original: string | undefined;
  readonly single: string;
  readonly both: string;
  readonly operations: number;
}

interface Count {
  documents: number;
  /** By the number of steps that went well: all of them is the last one. */
  readonly passed: number[];
  /** Of those that fail, those whose original does not, or which have none. */
  ours: number;
}

/** A kind of documents, and where its table is. */
interface Corpus {
  readonly name: CorpusName;
  readonly kind: 'wsdl' | 'openapi';
  readonly page: string;
  filesOf(path: string): readonly string[];
  servicesOf(file: string): Promise<readonly Service[]>;
  readonly hasOriginals: boolean;
  readonly axisOptions: string;
}

const timeLimitMs = 300_000;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, openapi: { type: 'boolean' }, write: { type: 'boolean' } },
});
const corpus: Corpus = values.openapi
  ? {
      name: 'openapi',
      kind: 'openapi',
      page: 'import-openapi.md',
      filesOf: documentsOf,
      servicesOf: async (file) => [(await importOpenApi(file, { allowNetwork: false })).service],
      hasOriginals: false,
      // One object in, one object out: members of both may have one name. A fault with one list is a class.
      axisOptions: '--noWrapped --wrapArrays',
    }
  : {
      name: 'wsdl-small',
      kind: 'wsdl',
      page: 'import-wsdl.md',
      filesOf: (path) => filesOf(path, /\.wsdl$/i),
      servicesOf: async (file) =>
        (await importWsdl(file, { allowNetwork: false, folder: '/' })).services.map(({ service }) => service),
      hasOriginals: true,
      axisOptions: '',
    };
const root = resolve(positionals[0] ?? corpusFolder(corpus.name));
const found = positionals[0] === undefined ? corpusOf(corpus.name) : corpus.filesOf(root);
const files = positionals[0] === undefined && found.length === 0 ? ownDocuments(corpus.kind) : found;
const tools = stubTools.filter(({ name }) => values.only?.split(',').includes(name) ?? true);
const missing = install(tools.map(({ source }) => source));
if (missing.length > 0) throw new Error(`${missing.join(', ')} could not be installed`);
const folder = tempFolder();
const counts = new Map(
  tools.map((tool) => [tool, { documents: 0, passed: tool.steps.map(() => 0), ours: 0 } as Count]),
);
let runs = 0;
try {
  for (const file of files) for (const derived of await derive(file)) for (const tool of tools) check(tool, derived);
} finally {
  folder.discard();
}
const lines = tools.map((tool) => row(tool, counts.get(tool)!));
process.stdout.write(`${lines.join('\n')}\n`);
if (values.write && tools.length === stubTools.length && positionals.length === 0 && found.length > 0)
  writeBetweenMarkers(new URL(`../../docs/${corpus.page}`, import.meta.url), 'stubs', table());
process.exitCode = [...counts.values()].every(({ ours }) => ours === 0) ? 0 : 1;

async function derive(file: string): Promise<readonly Derived[]> {
  const services = await corpus.servicesOf(file).catch((thrown: unknown) => {
    if (thrown instanceof Unread) return [];
    throw thrown;
  });
  return services.map((service, at) => {
    const [single, both] = [false, true].map((soap12) => {
      const place = join(folder.path, `${basename(file, extname(file))}-${at}${soap12 ? '-12' : ''}.wsdl`);
      writeFileSync(place, deriveWsdl(service, { address: 'http://gateway.example/', soap12 }));
      return place;
    }) as [string, string];
    return {
      file,
      original: corpus.hasOriginals ? file : undefined,
      single,
      both,
      operations: service.operations.size,
    };
  });
}

function check(tool: StubTool, derived: Derived): void {
  const count = counts.get(tool)!;
  count.documents += 1;
  const result = run(tool, tool.soap12 ? derived.both : derived.single, derived.operations);
  for (let at = 0; at < result.steps; at += 1) count.passed[at]! += 1;
  if (result.failure === undefined) return;
  const isOurs = derived.original === undefined || run(tool, derived.original, 0).steps > result.steps;
  if (isOurs) count.ours += 1;
  const [title] = tool.steps[result.steps]!;
  const whose = isOurs ? 'FAILED' : 'as the original';
  process.stdout.write(`${whose} ${tool.title} ${title} ${relative(root, derived.file)}: ${result.failure}\n`);
}

/** `steps`: how many went well. */
function run({ steps }: StubTool, document: string, operations: number): { steps: number; failure?: string } {
  const cwd = join(folder.path, `stubs-${runs}`);
  runs += 1;
  mkdirSync(cwd);
  const env = {
    ...process.env,
    AXIS_OPTIONS: corpus.axisOptions,
    DOCUMENT: document,
    OPERATIONS: String(operations),
    LC_ALL: 'C.UTF-8',
  };
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
  const last = corpus.hasOriginals ? ` ${ours} |` : '';
  return `| ${tool.title} | ${versionOf(tool)} | ${documents} | ${done('reads')} | ${done('generates')} | ${done('compiles')} |${last}`;
}

function table(): string {
  const [title, line] = corpus.hasOriginals ? [' worse than the original |', '---:|'] : ['', ''];
  return `| program | version | documents | read | generated | compiled |${title}
|---|---|---:|---:|---:|---:|${line}
${lines.join('\n')}`;
}
