/** Tests `triglyph pending`: lists and shows requests of unknown outcome, and settles them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRequestHasher } from '../../src/core/idempotency/request-hash.ts';
import { parseOutcome } from '../../src/core/idempotency/stored-outcome.ts';
import { parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { openSqlite } from '../../src/stores/sqlite/open.ts';
import { createStore } from '../../src/stores/store.ts';
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
const leave = (id: string, { hasKey = true, inFlightMs = 0, recordKey = `key of ${id}` } = {}): Promise<void> =>
  withStore((store) =>
    store.write(async (tx) => {
      const request = { requestHash: 'h', operation: 'disable', requestReference: id };
      if (hasKey) await tx.idempotencyRecords.reservePending(recordKey, request);
      const input = '{"merchantAccount":"Shop","shopperReference":"anna"}';
      await tx.pendingRequests.add({
        ...{ id, recordKey: hasKey ? recordKey : undefined, upstream: 'payments', service: recurringV25.name },
        ...{ operation: 'disable', tenant: 'Acme', credential: 'ws@Company.Acme', process: 'host 7', input },
        ...{ inFlightMs, repeatableMs: 0 },
      });
      if (inFlightMs === 0) await tx.pendingRequests.leave({ id }, id, 'OutcomeUnknown: the connection was reset');
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

describe('settle --file', () => {
  const write = (name: string, text: string): string => {
    const file = join(folder.path, name);
    writeFileSync(file, text);
    return file;
  };
  const leaveAll = async (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) await leave(id);
  };
  const states = (...ids: readonly string[]) => Promise.all(ids.map(outcomeOf));
  const pending = { pending: { state: 'unknown' } };

  test('settles each row by itself, prints what became of each line, and is done once', async () => {
    await leaveAll('FILE000000000001', 'FILE000000000002', 'FILE000000000003', 'FILE000000000004');
    const file = write(
      'settled.csv',
      [
        'id,outcome,output,code,message',
        `FILE000000000001,done,"${JSON.stringify(disabled).replaceAll('"', '""')}",,`,
        'FILE000000000002,notDone,,,',
        'FILE000000000003,refused,,E-17,Blocked',
        'FILE000000000004,done,"{""response"":7}",,',
        'NONE,notDone,,,',
        'INFLIGHT00000001,notDone,,,',
        'FILE000000000004,perhaps,,,',
        'FILE000000000004,refused,,,',
        'FILE000000000004,notDone,{},,',
        ',notDone,,,',
        '',
      ].join('\n'),
    );
    const dry = await run('settle', '--file', file, '--dry-run');
    expect(dry.stdout).toContain('line 2: FILE000000000001 would be settled. A retry gets the output.');
    expect(dry.stdout).toContain('3 rows would be settled, 7 would be refused');
    expect(await states('FILE000000000001', 'FILE000000000002')).toMatchObject([pending, pending]);

    const { code, stdout } = await run('settle', '--file', file);
    expect(code).toBe(1);
    expect(stdout.split('\n').map((line) => line.replace(/ \(.*/, ''))).toEqual([
      'line 2: FILE000000000001 is settled. A retry gets the output.',
      'line 3: FILE000000000002 is settled. A retry is executed.',
      'line 4: FILE000000000003 is settled. A retry gets the refusal.',
      expect.stringMatching(/^line 5: refused: the output breaks the contract of Recurring\.disable: response: /),
      'line 6: refused: no request with the id NONE is pending: it was answered or settled, or never was',
      expect.stringMatching(/^line 7: refused: a process may still wait/),
      expect.stringMatching(/^line 8: refused: outcome: /),
      'line 9: refused: a request that was refused needs the code',
      'line 10: refused: output belongs to done, and code and message to refused',
      'line 11: refused: the row needs either an id, or a tenant and a key',
      expect.stringContaining('3 rows settled, 7 refused'),
      '',
    ]);
    expect(await states('FILE000000000001', 'FILE000000000002', 'FILE000000000003', 'FILE000000000004')).toMatchObject([
      { output: disabled },
      undefined!,
      { problem: { code: 'E-17', message: 'Blocked' } },
      pending,
    ]);
    const report = readFileSync(`${file}.refused.jsonl`, 'utf8').trim().split('\n');
    expect(report.map((line: string) => (JSON.parse(line) as { readonly line: number }).line)).toEqual([
      5, 6, 7, 8, 9, 10, 11,
    ]);

    // Only what was refused is tried again.
    const again = await run('settle', '--file', file);
    expect(again.stdout).not.toContain('is settled');
    expect(again.stdout).toContain('0 rows settled, 7 refused');
  });

  test('reads JSONL, and is nothing to do the second time', async () => {
    await leaveAll('LINE000000000001', 'LINE000000000002');
    const file = write(
      'settled.jsonl',
      [
        { id: 'LINE000000000001', outcome: 'done', output: JSON.stringify(disabled) },
        { id: 'LINE000000000002', outcome: 'notDone' },
      ]
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    );
    expect(await run('settle', '--file', file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 rows settled, 0 refused'),
    });
    expect(await run('settle', '--file', file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('was settled before, all 2 rows of it: nothing was changed.'),
    });
    const { stdout } = await triglyph(['audit', 'show', '--json'], folder.path, production.variables);
    const settled = stdout.split('\n').filter((line) => line.includes('"settled"'));
    for (const id of ['LINE000000000001', 'LINE000000000002'])
      expect(settled.filter((line) => line.includes(id))).toHaveLength(1);
  });

  test('finds a request by the key of its caller', async () => {
    const { index } = parseKeyRing(readFileSync(production.variables.KEY_FILE!, 'utf8'));
    const recordKey = createRequestHasher(index, 'test').recordKey({ tenant: 'Acme' }, 'order-7');
    await leave('KEYED00000000001', { recordKey });
    const file = write(
      'keys.jsonl',
      '{"tenant":"Acme","key":"order-7","outcome":"notDone"}\n{"tenant":"Other","key":"order-7","outcome":"notDone"}\n',
    );
    const { stdout } = await run('settle', '--file', file);
    expect(stdout).toContain('line 1: KEYED00000000001 is settled. A retry is executed.');
    expect(stdout).toContain('line 2: refused: no request with this tenant and key is pending');
  });

  test('settles many, in one pass', async () => {
    const ids = Array.from({ length: 450 }, (_, at) => `MANY${String(at).padStart(12, '0')}`);
    await leaveAll(...ids);
    const file = write('many.csv', `id,outcome\n${ids.map((id) => `${id},notDone\n`).join('')}`);
    expect((await run('settle', '--file', file)).stdout).toContain('450 rows settled, 0 refused');
    expect(await outcomeOf(ids.at(-1)!)).toBeUndefined();
  });

  test('is refused with an id or an outcome', async () => {
    for (const [parameters, text] of [
      [['X', '--file', 'y.csv'], 'either an id or --file'],
      [[], 'either an id or --file'],
      [['--file', 'y.csv', '--not-done'], 'each row says'],
      [['X', '--not-done', '--dry-run'], 'belong to --file'],
      [['--file', 'y.txt'], 'must end in .jsonl or .csv'],
    ] as const)
      expect(await run('settle', ...parameters)).toMatchObject({ code: 1, stderr: expect.stringContaining(text) });
  });
});
