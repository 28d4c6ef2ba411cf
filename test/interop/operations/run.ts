/**
 * Calls every operation of an OpenAPI document by a client of a stack: `triglyph mock --openapi` is the service, `triglyph serve --openapi`
 * is in front of it, and the client is made from the WSDL of the gateway.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Operation } from '../../../src/core/contract/operation.ts';
import type { Service } from '../../../src/core/contract/service.ts';
import { createProtocols } from '../../../src/core/formats/wire-formats.ts';
import { exampleOf } from '../../../src/documents/example.ts';
import { importOpenApi } from '../../../src/readers/openapi/import-openapi.ts';
import { corpusFolder, ownDocument } from '../../support/corpus.ts';
import { startMock } from '../../support/mock.ts';
import { serve } from '../../support/serving-program.ts';
import { mainOfGsoap } from './gsoap.ts';
import type { OperationsStack } from './stacks.ts';

const execute = promisify(execFile);
/** A sample, a document that FastAPI wrote, and five larger ones of public APIs: those that are there. */
const publicDocuments = [
  'petstore.yaml',
  'jina.json',
  'discord.json',
  'lemmy.yaml',
  'influxdb.json',
  'twitter.yaml',
  'atlassian-jira.yaml',
].map((name) => join(corpusFolder('openapi'), name));

/** The paths of the documents: two that were written here, and public ones. */
export const documents: readonly string[] = [
  ownDocument('harbour.yaml'),
  ownDocument('observatory.json'),
  ...publicDocuments.filter((file) => existsSync(file)),
];

export interface OperationsOutcome {
  readonly stack: OperationsStack;
  readonly document: string;
  readonly operations: number;
  /** What failed, by operation. */
  readonly failures: readonly string[];
}

/** `file`: an OpenAPI document. `folder`: for what is built. `upstream`: another service than the mock, for a control. */
export async function runOperations(
  stack: OperationsStack,
  file: string,
  folder: string,
  upstream?: string,
): Promise<OperationsOutcome> {
  const document = basename(file);
  const built = join(folder, `operations-${stack.name}-${document}`);
  mkdirSync(built, { recursive: true });
  const { service } = await importOpenApi(file, { allowNetwork: false });
  const operations = [...service.operations.values()];
  const mock = await startMock(built, ['--openapi', file]);
  try {
    const gateway = await serve(['--openapi', file, '--upstream', upstream ?? mock.callers], built);
    try {
      const inputs = inputsOf(service);
      writeFileSync(join(built, 'inputs.json'), JSON.stringify(inputs));
      for (const { operation, xml } of inputs) writeFileSync(join(built, `${operation}.xml`), xml);
      writeFileSync(join(built, 'main.c'), mainOfGsoap(operations.map(({ name }) => name)));
      const address = `${gateway.callers}/${service.name}/v1`;
      const env = {
        ...process.env,
        CLIENTS: join(import.meta.dirname, '../clients'),
        WSDL: `${address}?wsdl${stack.soap12 ? '' : '&soap12=no'}`,
        ADDRESS: address,
        INPUTS: join(built, 'inputs.json'),
        MOCK: mock.admin,
        LC_ALL: 'C.UTF-8',
      };
      const { stdout } = await execute('sh', ['-e', '-c', stack.script], { cwd: built, env, maxBuffer: 1 << 26 });
      return { stack, document, operations: operations.length, failures: failuresIn(stdout, operations) };
    } finally {
      await gateway.stop();
    }
  } catch (thrown) {
    const { stderr = '', stdout = '' } = Object(thrown) as { readonly stderr?: string; readonly stdout?: string };
    return { stack, document, operations: operations.length, failures: [`${String(thrown)}\n${stderr}${stdout}`] };
  } finally {
    await mock.stop();
  }
}

/** By operation: the example of its request as a value, and as the element of a message. */
function inputsOf(service: Service) {
  const { soap11 } = createProtocols([service]);
  return [...service.operations.values()].map((operation) => {
    const input = exampleOf(operation.input, 'full');
    const { body } = soap11.encodeRequest(service, operation, input);
    const [, xml = ''] = /<(?:\w+:)?Body>\s*([\s\S]*?)\s*<\/(?:\w+:)?Body>/.exec(body) ?? [];
    return { operation: operation.name, input: plain(input), xml };
  });
}

/** Bytes are `{ base64 }`. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

/** A client prints `ok` or its error behind the name of each operation. */
function failuresIn(output: string, operations: readonly Operation[]): readonly string[] {
  const printed = new Map(output.split('\n').map((line) => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)]));
  return operations.flatMap(({ name }) => {
    const result = printed.get(name) ?? 'was not called';
    return result === 'ok' ? [] : [`${name}: ${result}`];
  });
}
