/** The audit log as operators meet it: commands, servers, copies, verification and the erasure of a shopper. */

import { createSocket } from 'node:dgram';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
const path = (name: string) => join(folder.path, name);
const copy = path('audit.jsonl');
const variables = { KEY_FILE: path('keys'), DATA_DIR: path('data'), AUDIT_LOG: `file:${copy}` };
const run = (parameters: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  triglyph(parameters, folder.path, { ...variables, ...more });

interface Shown {
  readonly sequence: number;
  readonly kind: string;
  readonly actor: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}
const linesOf = (text: string): readonly Shown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Shown);
const show = async (...options: readonly string[]) =>
  linesOf((await run(['audit', 'show', '--json', '--max', '1000', ...options])).stdout);

beforeAll(async () => {
  for (const command of [
    ['keys', 'create', path('keys')],
    ['migrate'],
    ['credential', 'merchant-account', 'add', 'Acme', 'AcmeWeb'],
  ])
    expect(await run(command)).toMatchObject({ code: 0 });
});
afterAll(() => folder.discard());

test('credentials are recorded with their effect, by the user of the system, and without secrets', async () => {
  const added = await run(['credential', 'add', 'Acme', '--account', 'AcmeWeb', '--json'], { SUDO_USER: 'anna' });
  const { id, secret } = JSON.parse(added.stdout) as { id: string; secret: string };
  await run(['credential', 'rotate', id]);
  await run(['credential', 'revoke', id]);
  const entries = (await show()).filter(({ subject }) => subject === id);
  expect(entries.map(({ kind }) => kind)).toEqual(['credentialMade', 'credentialRotated', 'credentialRevoked']);
  expect(entries[0]).toMatchObject({ actor: expect.stringContaining('(sudo anna)'), detail: { tenant: 'Acme' } });
  const [made] = (await show('--kind', 'command')).filter(({ subject }) => subject === 'credential add');
  expect(made).toMatchObject({ detail: { company: 'Acme', options: '--account --json' } });
  expect(readFileSync(copy, 'utf8')).not.toContain(secret);
});

test('a command that fails is recorded before it begins, and when it fails', async () => {
  expect((await run(['credential', 'revoke', 'cr_unknown'])).code).toBe(1);
  const [begun, failed] = (await show('--kind', 'command')).filter(({ detail }) => detail.id === 'cr_unknown');
  expect([begun?.detail.outcome, failed?.detail.outcome]).toEqual([undefined, 'failed']);
});

test('the copy in a file has every entry', async () => {
  const copied = linesOf(readFileSync(copy, 'utf8')).map(({ sequence }) => sequence);
  expect(copied).toEqual(copied.map((_, index) => index + 1));
  const { code, stdout } = await run(['audit', 'verify', '--copy', copy]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('entries are as they were recorded.') });
});

test('new keys are recorded where a store is configured', async () => {
  expect((await run(['keys', 'add', '--standby', path('keys')])).code).toBe(0);
  const [made] = await show('--kind', 'keyMade');
  expect((await run(['keys', 'use', path('keys'), made!.subject])).code).toBe(0);
  expect((await run(['keys', 'rotate'])).code).toBe(0);
  expect((await show('--kind', 'keyRotated')).map(({ subject }) => subject)).toEqual([made!.subject, made!.subject]);
  expect((await run(['audit', 'verify'])).code).toBe(0);
});

test('the erasure of a shopper names no shopper', async () => {
  const { code, stdout } = await run(['shopper', 'erase', 'AcmeWeb', 'shopper-of-the-test']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('This was destroyed.') });
  expect(readFileSync(copy, 'utf8')).not.toContain('shopper-of-the-test');
  expect((await show('--kind', 'destroyed')).map(({ detail }) => detail.state)).toEqual(['begun', 'done']);
});

test('a copied store has the same log, and an entry of the copy', async () => {
  const target = path('copied');
  const copied = await run(['copy', '--from', `sqlite:${variables.DATA_DIR}`, '--to', `sqlite:${target}`]);
  expect(copied).toMatchObject({ code: 0 });
  expect((await run(['audit', 'verify'], { DATA_DIR: target })).code).toBe(0);
  expect(await show('--kind', 'export')).toMatchObject([{ subject: 'store', detail: { to: target } }]);
});

test('syslog servers get RFC 5424, over TCP with octet counting and over UDP', async () => {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.setEncoding('utf8').on('data', (text: string) => received.push(text));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const udp = createSocket('udp4');
  const datagrams: string[] = [];
  udp.on('message', (message) => datagrams.push(message.toString()));
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const form = /^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ triglyph \d+ \w+ - \{.*\}$/;
  const listing = /triglyph \d+ command - \{.*"subject":"webhooks list"/;
  try {
    const { port } = server.address() as { port: number };
    await run(['webhooks', 'list'], { AUDIT_LOG: `syslog+tcp://127.0.0.1:${port}` });
    await until('the listing is in the copy', () => listing.test(received.join('')));
    // A new target gets the whole log. The messages are in ASCII.
    const messages: string[] = [];
    for (let rest = received.join(''); rest !== ''; ) {
      const [prefix = '', length] = /^(\d+) /.exec(rest) ?? [];
      const end = prefix.length + Number(length);
      messages.push(rest.slice(prefix.length, end));
      rest = rest.slice(end);
    }
    for (const message of messages) expect(message).toMatch(form);
    expect(messages.at(-1)).toMatch(listing);
    await run(['webhooks', 'list'], { AUDIT_LOG: `syslog+udp://127.0.0.1:${udp.address().port}` });
    await until('all datagrams are there', () => datagrams.length === messages.length + 1);
    expect(datagrams.at(-1)).toMatch(listing);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    udp.close();
  }
});

test('a copy that cannot be written is reported, and the command runs', async () => {
  const { code, stderr } = await run(['webhooks', 'list'], { AUDIT_LOG: `file:${path('missing')}/audit.jsonl` });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('the audit log was not copied') });
});

/** A store like the one of the other tests, with a copy of its own. */
function branch(name: string) {
  cpSync(path('data'), path(name), { recursive: true });
  const own = { DATA_DIR: path(name), AUDIT_LOG: `file:${path(`${name}.jsonl`)}` };
  return {
    copy: path(`${name}.jsonl`),
    run: (...parameters: readonly string[]) => run(parameters, own),
    change(work: (database: DatabaseSync) => void) {
      const database = new DatabaseSync(join(path(name), 'triglyph.db'));
      for (const trigger of ['entry_update', 'entry_delete', 'chain_update', 'chain_delete'])
        database.exec(`drop trigger if exists audit_${trigger}`);
      work(database);
      database.close();
    },
  };
}

test('verify finds that the whole log was removed, with and without a copy, and with the copy removed as well', async () => {
  const store = branch('removed');
  expect((await store.run('audit', 'verify')).code).toBe(0);
  expect((await store.run('audit', 'verify', '--copy', store.copy)).code).toBe(0);
  store.change((database) => database.exec('delete from audit_entry; delete from audit_chain'));
  const alone = await store.run('audit', 'verify');
  expect(alone).toMatchObject({ code: 1, stdout: expect.stringContaining('The audit log was tampered with.') });
  const compared = await store.run('audit', 'verify', '--copy', store.copy);
  expect(compared).toMatchObject({ code: 1, stdout: expect.stringContaining('the copy has another entry') });
  // Both begin anew.
  store.change((database) => database.exec('delete from audit_entry; delete from audit_chain'));
  rmSync(store.copy);
  expect(await store.run('audit', 'verify', '--copy', store.copy)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no such file'),
  });
  const both = await store.run('audit', 'verify', '--copy', store.copy);
  expect(both).toMatchObject({ code: 1, stdout: expect.stringContaining('The audit log was tampered with.') });
  const asJson = await store.run('audit', 'verify', '--json');
  expect(JSON.parse(asJson.stdout)).toMatchObject({ whole: false });
});

test('verify finds that the last entries were removed with their end, and with the anchor by the copy', async () => {
  const store = branch('cut');
  const tables = ['audit_entry', 'audit_chain', 'row_integrity', 'audit_copy'];
  store.change((database) => {
    for (const table of tables) database.exec(`create table saved_${table} as select * from ${table}`);
  });
  await store.run('credential', 'merchant-account', 'add', 'Acme', 'Removed');
  const putBack = (name: string) => `delete from ${name}; insert into ${name} select * from saved_${name}`;
  store.change((database) => database.exec(tables.slice(0, 2).map(putBack).join(';')));
  expect((await store.run('audit', 'verify')).code).toBe(1);
  // All that a running server does not see: the copy shows it.
  store.change((database) => database.exec(tables.map(putBack).join(';')));
  expect(await store.run('audit', 'verify')).toMatchObject({ code: 0 });
  const { code, stdout } = await store.run('audit', 'verify', '--copy', store.copy);
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('the copy has another entry') });
});

test('verify fails with a copy that has no entry', async () => {
  for (const content of ['', 'some text\n']) {
    writeFileSync(path('no-copy'), content);
    const { code, stdout } = await run(['audit', 'verify', '--copy', path('no-copy')]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('The copy has no entry') });
  }
});

test('verify finds a changed entry, and a line of the copy that is no entry is counted', async () => {
  const database = new DatabaseSync(path('data/triglyph.db'));
  database.exec(`drop trigger audit_entry_update; update audit_entry set actor = 'nobody' where sequence = 2`);
  database.close();
  writeFileSync(copy, '{"sequence":\n');
  const { code, stdout } = await run(['audit', 'verify', '--copy', copy]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('entry 2: the entry was changed') });
  expect(stdout).toContain('1 lines of the copy are no entries.');
});
