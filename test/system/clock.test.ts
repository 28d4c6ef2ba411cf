/** Tests that a server with a wrong clock does not start, and destroys nothing, unless an operator accepts the clock. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const dayMs = 86_400_000;
const folder = tempFolder();
let production: Production;
let server: Server | undefined;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
});
afterEach(() => server?.kill());
afterAll(() => folder.discard());

const run = (parameters: readonly string[], also = {}) =>
  triglyph(parameters, folder.path, { ...production.variables, ...also });
const serve = async (parameters: readonly string[] = []) => {
  server = await startServer('serve', folder.path, production.variables, { parameters });
};
const onStore = <T>(work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(join(production.variables.DATA_DIR!, 'triglyph.db'));
  try {
    return work(database);
  } finally {
    database.close();
  }
};
/** For the store, the clock of this machine is then so far ahead; behind where negative. */
const setClock = (days: number): void =>
  onStore((database) => {
    database.prepare('update write_check set checked_at = checked_at - ? where id = 2').run(days * dayMs);
  });
const addDeadLetter = (): void =>
  onStore((database) =>
    database.exec(
      `insert into job (tenant, job_id, kind, ordering_key, position, payload, created_at, due_at, dead_since)
       values ('Demo', 'old', 'webhook', 'old', 1, '{}', 1, null, ${Date.now() - 100 * dayMs})`,
    ),
  );
const deadLetters = () => onStore((database) => database.prepare('select * from job').all().length);

test('the first start of a store records its time', async () => {
  expect(onStore((database) => database.prepare('select * from write_check where id = 2').all())).toEqual([]);
  await serve();
  expect(await server!.stop()).toBe(0);
  const [row] = onStore((database) => database.prepare('select checked_at from write_check where id = 2').all());
  expect(Math.abs(Number(row!.checked_at) - Date.now())).toBeLessThan(dayMs);
});

test.each([40, -40])('a clock that is off by %i days: no server starts, and nothing is destroyed', async (days) => {
  setClock(days);
  addDeadLetter();
  const refusal = new RegExp(
    `The clock of this machine says .* UTC, 40 days ${days > 0 ? 'after' : 'before'} the last time`,
  );
  for (const command of [['serve'], ['retention', 'apply']]) {
    const { code, stderr } = await run(command);
    expect({ command, code, stderr }).toEqual({ command, code: 1, stderr: expect.stringMatching(refusal) });
    expect(stderr).toContain('--accept-clock');
  }
  expect(await run(['check'])).toMatchObject({ code: 1, stdout: expect.stringMatching(refusal) });
  expect(deadLetters()).toBe(1);
  // Control: where every clock is accepted, the same command destroys.
  expect(await run(['retention', 'apply'], { CLOCK_DAYS_MAX: '0' })).toMatchObject({ code: 0 });
  expect(deadLetters()).toBe(0);

  await serve(['--accept-clock']);
  expect(await server!.stop()).toBe(0);
  expect((await run(['check'])).stdout).toContain('Nothing is wrong');
  await serve();
  expect(await server!.stop()).toBe(0);
});

test('a restore accepts an old backup', async () => {
  setClock(400);
  expect(await run(['backup', 'old.db'])).toMatchObject({ code: 0 });
  expect(await run(['restore', 'old.db'])).toMatchObject({ code: 0 });
  await serve();
  expect(await server!.stop()).toBe(0);
});

test('--accept-clock lets retention destroy', async () => {
  setClock(40);
  addDeadLetter();
  expect(await run(['retention', 'apply', '--accept-clock'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('deadLetter'),
  });
  expect(deadLetters()).toBe(0);
});
