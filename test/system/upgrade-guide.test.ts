/** Runs the commands of docs/upgrade.md for builds without `backup`: what is only in the write-ahead log is in the copy, and comes back. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { ask, basic, prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/upgrade.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, text]) => text!);
const folder = tempFolder();
afterAll(() => folder.discard());

const account = (name: string) => ({ merchantAccount: 'AcmeWeb', shopperReference: name });
const card = { number: '4111111111111111', expiryMonth: '03', expiryYear: '2035', holderName: 'Anna van Dijk' };

/** The shoppers of a file of SQLite, without what lies beside it. */
function shoppersIn(file: string): readonly unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('select shopper_reference as name from shopper order by 1').all();
  database.close();
  return rows.map(({ name }) => name);
}

test('a copy by hand has the latest commits, and takes the place of a migrated store', async () => {
  const production = await prepareProduction(folder.path);
  const { username, secret } = production.credential;
  const caller = basic(username, secret);
  const dataDir = production.variables.DATA_DIR!;
  const backups = join(folder.path, 'backups');
  mkdirSync(backups);
  const store = async (name: string) => {
    const server = await startServer('serve', folder.path, production.variables);
    const details = { ...account(name), card, recurring: { contract: 'RECURRING' }, shopperEmail: 'anna@example.com' };
    const { status } = await ask(server.callers, 'storeToken', details, caller);
    // The log stays as it is.
    await server.kill();
    expect(status).toBe(200);
  };
  const run = (text: string) => {
    const paths = { DATA_DIR: dataDir, BACKUPS: backups, PATH: `${join(process.execPath, '..')}:${process.env.PATH}` };
    const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', text], { env: paths, encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  };
  expect(blocks).toHaveLength(2);
  const [copy, putBack] = blocks as [string, string];

  await store('before');
  // The control: the file alone.
  const alone = join(folder.path, 'alone.db');
  copyFileSync(join(dataDir, 'triglyph.db'), alone);
  expect(shoppersIn(alone)).not.toContain('before');
  run(copy);
  const copied = join(backups, 'before.db');
  expect(shoppersIn(copied)).toContain('before');
  expect(statSync(copied).mode & 0o777).toBe(0o600);

  await store('after');
  run(putBack);
  expect(readdirSync(dataDir).filter((name) => name.startsWith('triglyph.db'))).toEqual(['triglyph.db']);
  expect(readdirSync(join(dataDir, 'after'))).toContain('triglyph.db-wal');
  const server = await startServer('serve', folder.path, production.variables);
  const read = async (name: string) =>
    (await ask(server.callers, 'listRecurringDetails', account(name), caller)).answer.details;
  expect(await read('before')).toHaveLength(1);
  expect(await read('after')).toBeUndefined();
  await server.stop();
  const { code, stdout } = await triglyph(['keys', 'verify-rows'], folder.path, production.variables);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('are right') });
});
