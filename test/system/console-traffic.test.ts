/** Tests the traffic of several workers: their lines in one list, their requests where they are kept, and their counts added up. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { sendRefused } from '../support/refused-request.ts';
import { basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
let postgres: Postgres;
let server: Server;
let viewer: string;
beforeAll(async () => {
  postgres = await startPostgres();
  const database = await postgres.createMigratedDatabase();
  const { variables } = await prepareProduction(folder.path, { DATABASE_URL: database });
  const added = await triglyph(
    ['credential', 'add', 'Acme', '--username', 'anna@Company.Acme', '--role', 'console', '--json'],
    folder.path,
    variables,
  );
  viewer = basic('anna@Company.Acme', JSON.parse(added.stdout).secret);
  server = await startServer('serve', folder.path, { ...variables, WORKERS: '2' });
});
afterAll(async () => {
  await server?.stop();
  await postgres.discard();
  folder.discard();
});

interface Line {
  readonly id: string;
  readonly at: number;
  readonly hasDetails: boolean;
}

const read = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
  const answer = await fetch(`${server.admin}/console/api/v1/traffic/${path}`, { headers: { authorization: viewer } });
  return { ...((await answer.json()) as object), answered: answer.status };
};
const list = async () => (await read('requests?limit=1000')).requests as readonly Line[];
const processesOf = (lines: readonly Line[]) => new Set(lines.map(({ id }) => id.split('-')[0]));
const counted = async (): Promise<number> => {
  const { formats } = (await read('rates')) as {
    readonly formats: readonly { readonly points: readonly { readonly requests: number }[] }[];
  };
  return formats.flatMap(({ points }) => points).reduce((sum, { requests }) => sum + requests, 0);
};

test('lines of both workers, details of each, and counts that a renewal of the workers does not lose', async () => {
  let sent = 0;
  const both = async () => {
    await sendRefused(server.callers);
    sent += 1;
    return processesOf(await list()).size === 2;
  };
  await until('both workers have served a request', both);
  // From here on details are recorded.
  const before = await list();
  await until('both workers record details', async () => {
    await both();
    return processesOf((await list()).filter(({ hasDetails }) => hasDetails)).size === 2;
  });
  const lines = await list();
  expect(lines).toHaveLength(sent);
  expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).toSorted((a, b) => a - b));
  for (const process of processesOf(lines)) {
    const line = lines.findLast(({ id, hasDetails }) => hasDetails && id.startsWith(`${process}-`))!;
    const opened = await read(`requests/${line.id}`);
    expect(opened).toMatchObject({ answered: 200, id: line.id, outcome: 'unauthorized' });
    expect(JSON.stringify(opened)).not.toContain('a-secret-of-nobody');
  }
  expect((await read('requests/1-1')).answered).toBe(404);
  expect(before.length).toBeGreaterThan(0);
  await until('all requests are counted', async () => (await counted()) === sent);
  process.kill(server.pid, 'SIGHUP');
  const old = processesOf(lines);
  await until('the workers are renewed', () => /all workers are renewed/.test(server.output()));
  await until('the list has no line of the old ones', async () =>
    [...processesOf(await list())].every((each) => !old.has(each)),
  );
  expect(await counted()).toBe(sent);
});
