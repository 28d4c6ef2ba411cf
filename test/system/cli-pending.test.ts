/** Tests `triglyph pending`: lists and shows requests of unknown outcome, and settles them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseOutcome } from '../../src/idempotency/stored-outcome.ts';
import { recurringV25 } from '../../src/services/recurring/versions.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { createStore } from '../../src/store/store.ts';
import { triglyph } from '../support/commands.ts';
import { type Production, prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let production: Production;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
});
afterAll(() => folder.discard());

const run = (...parameters: readonly string[]) =>
  triglyph(['pending', ...parameters], folder.path, production.variables);

const withStore = async <T>(work: (store: ReturnType<typeof createStore>) => Promise<T>): Promise<T> => {
  const engine = openSqlite({ dataDir: production.variables.DATA_DIR!, exclusive: false });
  try {
    return await work(createStore(engine));
  } finally {
    await engine.close();
  }
};

/** As a gateway leaves it that gets no answer. */
const leave = (id: string, { hasKey = true, inFlightMs = 0 } = {}): Promise<void> =>
  withStore((store) =>
    store.write(async (tx) => {
      const request = { requestHash: 'h', operation: 'disable', requestReference: id };
      if (hasKey) await tx.idempotencyRecords.reservePending(`key of ${id}`, request);
      const input = '{"merchantAccount":"Shop","shopperReference":"anna"}';
      await tx.pendingRequests.add({
        ...{ id, recordKey: hasKey ? `key of ${id}` : undefined, upstream: 'payments', service: recurringV25.name },
        ...{ operation: 'disable', tenant: 'Acme', credential: 'ws@Company.Acme', process: 'host 7', input },
        ...{ inFlightMs, repeatableMs: 0 },
      });
      if (inFlightMs === 0) await tx.pendingRequests.leave(id, id, 'OutcomeUnknown: the connection was reset');
    }),
  );

const outcomeOf = (id: string) =>
  withStore((store) =>
    store.read(async (tx) => {
      const stored = await tx.idempotencyRecords.find(`key of ${id}`);
      return stored === undefined || 'pending' in stored ? stored : parseOutcome(stored.outcome, recurringV25);
    }),
  );

const disabled = { response: '[detail-successfully-disabled]' };

test('what is unknown is listed and shown', async () => {
  expect((await run('list')).stdout).toBe('No outcome is unknown.\n');
  await leave('UNKNOWN000000001');
  await leave('INFLIGHT00000001', { inFlightMs: 600_000 });
  expect((await run('list')).stdout).toMatch(
    /^UNKNOWN000000001 {2}unknown {2}[\d :-]{19} {2}payments {2}Recurring\.disable {2}Acme {2}OutcomeUnknown: the connection was reset\n$/,
  );
  expect((await run('list', '--all')).stdout.split('\n')).toHaveLength(3);
  expect((await run('list', '--upstream', 'other')).stdout).toBe('No outcome is unknown.\n');
  const listed = JSON.parse((await run('list', '--tenant', 'Acme', '--json')).stdout);
  expect(listed).toEqual([
    {
      ...{ id: 'UNKNOWN000000001', state: 'unknown', upstream: 'payments', service: 'Recurring', operation: 'disable' },
      ...{ tenant: 'Acme', credential: 'ws@Company.Acme', hasKey: true, process: 'host 7' },
      startedAt: expect.stringMatching(/Z$/),
      failure: 'OutcomeUnknown: the connection was reset',
      input: { merchantAccount: 'Shop', shopperReference: 'anna' },
    },
  ]);
  expect((await run('show', 'UNKNOWN000000001')).stdout).toContain('"shopperReference": "anna"');
  expect(await run('show', 'NONE')).toMatchObject({ code: 1, stderr: expect.stringContaining('is pending') });
});

describe('settle', () => {
  test('--done stores an output of the contract, given as text or in a file', async () => {
    await leave('DONE000000000001');
    const file = join(folder.path, 'output.json');
    writeFileSync(file, JSON.stringify(disabled));
    expect(await run('settle', 'DONE000000000001', '--done', file)).toMatchObject({
      code: 0,
      stdout: 'DONE000000000001 is settled. A retry gets the output.\n',
    });
    expect(await outcomeOf('DONE000000000001')).toEqual({ requestReference: 'DONE000000000001', output: disabled });
    expect(await run('settle', 'DONE000000000001', '--not-done')).toMatchObject({ code: 1 });
  });
  test.each([
    ['{"response":7}', /breaks the contract of Recurring\.disable:\n.* {2}response: /s],
    ['{"response":', /is no JSON object/],
    [undefined, /needs the output/],
  ])('--done refuses %s', async (output, reason) => {
    const id = `WRONG${String(output?.length ?? 0).padStart(11, '0')}`;
    await leave(id);
    const { code, stderr } = await run('settle', id, '--done', ...(output === undefined ? [] : [output]));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(reason) });
    expect(await outcomeOf(id)).toMatchObject({ pending: { state: 'unknown' } });
  });
  test('--not-done frees the key', async () => {
    await leave('NOTDONE000000001');
    expect((await run('settle', 'NOTDONE000000001', '--not-done')).stdout).toContain('A retry is executed.');
    expect(await outcomeOf('NOTDONE000000001')).toBeUndefined();
  });
  test('--refused stores a problem of the contract, or one that it does not know', async () => {
    await leave('REFUSED000000001');
    await leave('REFUSED000000002');
    expect((await run('settle', 'REFUSED000000001', '--refused', '800')).stdout).toContain('A retry gets the refusal.');
    expect((await outcomeOf('REFUSED000000001')) as object).toMatchObject({ problem: { code: '800', status: 422 } });
    expect((await run('settle', 'REFUSED000000002', '--refused', 'E-17')).stderr).toContain('give its text');
    await run('settle', 'REFUSED000000002', '--refused', 'E-17', '--message', 'Blocked');
    expect((await outcomeOf('REFUSED000000002')) as object).toMatchObject({
      problem: { code: 'E-17', status: 422, type: 'validation', message: 'Blocked', problem: 'upstreamRefusal' },
    });
  });
  test('a request without a key needs no output', async () => {
    await leave('UNKEYED000000001', { hasKey: false });
    expect((await run('settle', 'UNKEYED000000001', '--done')).stdout).toContain('It had no key');
  });
  test('none in flight, and one meaning at a time', async () => {
    expect((await run('settle', 'INFLIGHT00000001', '--not-done')).stderr).toContain('may still wait');
    expect((await run('settle', 'INFLIGHT00000001')).stderr).toContain('give one of');
    expect((await run('settle', 'INFLIGHT00000001', '--done', '--not-done')).stderr).toContain('give one of');
  });
});
