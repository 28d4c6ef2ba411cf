/** The audit log as operators meet it: commands, servers, copies, verification and the erasure of a shopper. */

import { createSocket } from 'node:dgram';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { tempFolder } from '../support/temp-folder.ts';

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
  const datagram = new Promise<string>((resolve) => udp.once('message', (message) => resolve(message.toString())));
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as { port: number };
    await run(['webhooks', 'list'], { AUDIT_LOG: `syslog+tcp://127.0.0.1:${port}` });
    const [, length, message] = /^(\d+) (.*)$/s.exec(received.join('')) ?? [];
    expect(Number(length)).toBe(Buffer.byteLength(message!));
    const form = /^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ triglyph \d+ command - \{.*"subject":"webhooks list".*\}$/;
    expect(message).toMatch(form);
    await run(['webhooks', 'list'], { AUDIT_LOG: `syslog+udp://127.0.0.1:${udp.address().port}` });
    expect(await datagram).toMatch(form);
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

test('verify finds what was removed, with its end, by the copy', async () => {
  const last = (await show()).at(-1)!.sequence;
  const database = new DatabaseSync(path('data/triglyph.db'));
  const saved = database.prepare('select * from audit_chain').get() as Record<string, string | number>;
  await run(['credential', 'merchant-account', 'add', 'Acme', 'Removed']);
  for (const name of ['audit_entry_delete', 'audit_chain_update']) database.exec(`drop trigger ${name}`);
  database.exec(`delete from audit_entry where sequence > ${Number(saved.last_sequence)}`);
  const columns = ['last_sequence', 'last_mac', 'head_mac'] as const;
  database
    .prepare(`update audit_chain set ${columns.map((column) => `${column} = ?`).join(', ')}`)
    .run(...columns.map((column) => saved[column]!));
  database.close();
  expect(saved.last_sequence).toBe(last);
  // The database alone shows nothing.
  expect((await run(['audit', 'verify'], { AUDIT_LOG: `file:${path('elsewhere')}` })).code).toBe(0);
  const { code, stdout } = await run(['audit', 'verify', '--copy', copy], { AUDIT_LOG: `file:${path('elsewhere')}` });
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('the copy has another entry') });
  const asJson = await run(['audit', 'verify', '--json', '--copy', copy], { AUDIT_LOG: `file:${path('elsewhere')}` });
  expect(JSON.parse(asJson.stdout)).toMatchObject({ whole: false });
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
