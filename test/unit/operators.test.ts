/** Every action of operators has a role, an entry in the audit log, a command, and an operation of the console. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Operation } from '../../src/core/contract/operation.ts';
import { auditedFieldsOf, roles } from '../../src/operators/operation.ts';
import { operationsBySubject, subjects } from '../../src/operators/subjects.ts';
import { consoleV1, contributed } from '../support/console-contract.ts';

const operatorOperations = [...operationsBySubject(contributed).values()].flat();

const root = join(import.meta.dirname, '../..');
const sources = globSync('src/program/cli/**/*.ts', { cwd: root }).map((file) =>
  readFileSync(join(root, file), 'utf8'),
);
const commandsOfServices = await Promise.all(
  contributed.map(async ({ loadCommands }) => Object.keys(await loadCommands())),
);
const commands = [...sources, ...commandsOfServices.flat()].join('\n');

/** Actions whose console entry has the name of the operation and nothing else. */
const withoutObject: Readonly<Record<string, string>> = {
  acceptLoss: 'it is about the whole store',
  addDeprecation: 'its id is new: the entry deprecationAdded names it',
  retryAllDeadLetters: 'it is about all of them',
  rotateKeys: 'the entry keyRotated names the key',
};

/** What an action lacks. */
function faultsOf(operation: Operation): readonly string[] {
  const { name, effect, role, input, http } = operation;
  const audited = auditedFieldsOf(operation);
  const wanted = effect === 'reads' ? roles.read : roles.act;
  const sensitive = audited.filter((field) => {
    const schema = input.fields[field]?.schema;
    return schema?.kind === 'string' && schema.sensitive === true;
  });
  return [
    ...(role === wanted ? [] : [`has the role ${role}`]),
    ...(effect === 'writes' && audited.length === 0 && withoutObject[name] === undefined
      ? ['has no audited field, and no reason']
      : []),
    ...sensitive.map((field) => `records ${field}, which is sensitive`),
    ...(http === undefined || consoleV1.operations.get(name) !== operation ? ['is none of the console'] : []),
    ...(new RegExp(`\\b${name}\\b(?!')`).test(commands.replace(/^import [\s\S]*?from '[^']*';/gm, ''))
      ? []
      : ['has no command']),
  ].map((fault) => `${name} ${fault}`);
}

test('every action has a role, an entry in the audit log, a command, and an operation of the console', () => {
  expect(operatorOperations.length).toBeGreaterThan(40);
  expect(operatorOperations.flatMap(faultsOf)).toEqual([]);
});

test('control: an action without them is found', () => {
  const found = operatorOperations.find(({ name }) => name === 'revokeCredential')!;
  const wrong = { ...found, name: 'unknownAction', role: 'recurring', audited: [] } as unknown as Operation;
  expect(faultsOf(wrong)).toEqual([
    'unknownAction has the role recurring',
    'unknownAction has no audited field, and no reason',
    'unknownAction is none of the console',
    'unknownAction has no command',
  ]);
});

test('every operation has a handler, and no handler is left over', async () => {
  for (const { operations, load } of [...Object.values(subjects), ...contributed]) {
    const handlers = await load();
    expect(Object.keys(handlers).toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
  }
});
