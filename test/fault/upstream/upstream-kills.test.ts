/**
 * Gateways in front of a JSON-only server are killed under load, on SQLite and, two of them, on PostgreSQL: no effect doubled, none
 * lost, and what is unknown is listed. `UPSTREAM_KILLS=30` is the long run.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Random } from '../../simulation/random.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { repeatCommand, seed } from '../../support/seed.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';
import { isFoundWithin } from '../../support/until.ts';
import { modes } from './matrix.ts';
import { storeTokensUnderKills } from './upstream-under-kills.ts';

const random = new Random(seed);
const kills = Number(process.env.UPSTREAM_KILLS ?? 2);

let folder: TempFolder;
beforeAll(
  () => void process.stderr.write(`repeat with ${repeatCommand('test/fault/upstream/upstream-kills.test.ts')}\n`),
);
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.discard());

const nothing = { doubled: [], lost: [], unsettled: [], unlisted: [] };

/** The long run has both modes on both. */
const isLong = process.env.UPSTREAM_KILLS !== undefined;

test.each(modes.filter((mode) => isLong || mode === 'none'))('one gateway on SQLite, idempotency %s', async (mode) => {
  const findings = await storeTokensUnderKills({ mode, kills, gateways: 1 }, folder.path, random);
  expect(findings).toMatchObject(nothing);
  expect(findings.sent).toBeGreaterThan(findings.unknown);
});

describe('two gateways on PostgreSQL, killed in turn', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.discard());

  test.each(modes.filter((mode) => isLong || mode === 'header'))('idempotency %s', async (mode) => {
    const databaseUrl = await postgres.createDatabase();
    const findings = await storeTokensUnderKills({ mode, kills, gateways: 2, databaseUrl }, folder.path, random);
    expect(findings).toMatchObject(nothing);
    expect(findings.sent).toBeGreaterThan(findings.unknown);
  });
});

test('seeded defect: a key for each attempt is found doubled', async () => {
  const isFound = async () => {
    folder.discard();
    folder = tempFolder();
    const plan = { mode: 'header', kills: 1, gateways: 1, defect: 'a key for each attempt' } as const;
    return (await storeTokensUnderKills(plan, folder.path, random)).doubled.length > 0;
  };
  expect(await isFoundWithin(isFound)).toBe(true);
});
