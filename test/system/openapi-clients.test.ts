/** PHP and zeep call every operation of OpenAPI documents through the gateway, by its WSDL. */
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { runOperations } from '../interop/operations/run.ts';
import { dynamicStacks } from '../interop/operations/stacks.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

// One has an operation at the root, and one a member that zeep cannot have.
const documents = ['petstore.yaml', 'jina.json', 'influxdb.json'];
const runs = documents.flatMap((document) => dynamicStacks.map((stack) => [document, stack.name, stack] as const));

test.each(runs)('%s by %s', async (document, _, stack) => {
  const { operations, failures } = await runOperations(stack, document, folder.path);
  expect(failures).toEqual([]);
  expect(operations).toBeGreaterThan(18);
});

test('where no service answers, every call fails: a control', async () => {
  const { operations, failures } = await runOperations(
    dynamicStacks[0]!,
    'petstore.yaml',
    join(folder.path, 'control'),
    'http://127.0.0.1:9',
  );
  expect(failures).toHaveLength(operations);
});
