/** PHP and zeep call every operation of OpenAPI documents through the gateway, by its WSDL. */
import { basename, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { documents, runOperations } from '../interop/operations/run.ts';
import { dynamicStacks } from '../interop/operations/stacks.ts';
import { ownDocument } from '../support/corpus.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

// One has an operation at the root, and a member that zeep cannot have.
const names = ['harbour.yaml', 'observatory.json', 'jina.json', 'influxdb.json'];
const runs = documents
  .filter((file) => names.includes(basename(file)))
  .flatMap((file) => dynamicStacks.map((stack) => [basename(file), stack.name, file, stack] as const));

test.each(runs)('%s by %s', async (_document, _stack, file, stack) => {
  const { operations, failures } = await runOperations(stack, file, folder.path);
  expect(failures).toEqual([]);
  expect(operations).toBeGreaterThan(9);
});

test('where no service answers, every call fails: a control', async () => {
  const { operations, failures } = await runOperations(
    dynamicStacks[0]!,
    ownDocument('harbour.yaml'),
    join(folder.path, 'control'),
    'http://127.0.0.1:9',
  );
  expect(failures).toHaveLength(operations);
});
