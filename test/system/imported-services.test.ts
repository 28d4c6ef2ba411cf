/** What works for the built-in services works for imported ones: keys in every format, kills, pending requests, callers, deprecations and conversions. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import {
  type CountingServer,
  type ImportedService,
  importedServices,
  startCountingServer,
} from '../support/imported-services.ts';
import { type ServingProgram, serve } from '../support/serving-program.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const formats = ['json', 'form', 'soap11', 'soap12'] as const;
type Format = (typeof formats)[number];

/** SOAP 1.2 has 400 for what is the fault of the sender. */
const statusOfRefusal: Readonly<Record<Format, number>> = { json: 422, form: 422, soap11: 500, soap12: 400 };

interface Message {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Converted {
  readonly messages: Readonly<Record<Format, Message>>;
  readonly canonical: unknown;
  readonly coercions: readonly { readonly changes: readonly string[] }[];
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly isReplayed: boolean;
}

describe.each(importedServices.map((each) => [each.title, each] as const))('%s', (_, imported) => {
  const folder = tempFolder();
  const variables = { KEY_FILE: join(folder.path, 'data/keys') };
  let upstream: CountingServer;
  let gateway: ServingProgram;
  let first: Converted;
  let other: Converted;

  const start = () => serve([], folder.path, { LOG_LEVEL: 'info' });
  const run = async (...parameters: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await triglyph(parameters, folder.path, variables);
    if (code !== 0) throw new Error(`triglyph ${parameters.join(' ')}: ${stderr}`);
    return stdout;
  };
  const convert = async (name: string, message: string | object): Promise<Converted> => {
    const path = join(folder.path, name);
    writeFileSync(path, typeof message === 'string' ? message : JSON.stringify(message));
    const operation = ['--operation', imported.operation, '--service', imported.service];
    return JSON.parse(await run('convert', path, ...operation, '--to', 'json,form,soap,soap12', '--json'));
  };
  const send = async (
    { path, headers, body }: Message,
    also: Readonly<Record<string, string>> = {},
  ): Promise<Answered> => {
    const response = await fetch(gateway.callers + path, { method: 'POST', headers: { ...headers, ...also }, body });
    const isReplayed = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, text: decoded(await response.text()), isReplayed };
  };

  beforeAll(async () => {
    upstream = await startCountingServer(imported);
    const saving = [...imported.parameters, '--upstream', upstream.url, '--save', folder.path];
    await (await serve(saving, folder.path)).stop();
    shortenTimeouts(join(folder.path, 'triglyph.config.ts'));
    [first, other] = [await convert('first.json', imported.input), await convert('other.json', imported.other)];
    gateway = await start();
  });
  afterAll(async () => {
    await gateway.stop();
    upstream.stop();
    folder.discard();
  });

  test('a request is the same in every format, and its conversion says that it changes nothing', async () => {
    expect(first.coercions).toEqual([]);
    for (const format of formats) {
      const again = await convert(`first.${format}`, first.messages[format].body);
      expect([format, again.canonical]).toEqual([format, first.canonical]);
      expect([format, decoded(again.messages.soap11.body)]).toEqual([format, decoded(first.messages.soap11.body)]);
    }
    // The control: another request is another one.
    expect(other.canonical).not.toEqual(first.canonical);
  });

  test.each(formats)('a retry in any format has the effect of the first, in %s, once', async (format) => {
    const before = upstream.bodies.length;
    const key = { 'Idempotency-Key': `once-${format}` };
    expect(await send(first.messages[format], key)).toEqual({
      status: 200,
      text: expect.stringContaining(imported.answered),
      isReplayed: false,
    });
    for (const each of formats) {
      const { status, text, isReplayed } = await send(first.messages[each], key);
      expect([each, status, text.includes(imported.answered), isReplayed]).toEqual([each, 200, true, true]);
    }
    expect(upstream.bodies.length).toBe(before + 1);
    // The control: without a key each has its effect.
    await send(first.messages[format]);
    expect(upstream.bodies.length).toBe(before + 2);
  });

  test.each(formats)('a key of another request is refused in %s', async (format) => {
    const before = upstream.bodies.length;
    const key = { 'Idempotency-Key': `conflict-${format}` };
    await send(first.messages.json, key);
    const { status, text } = await send(other.messages[format], key);
    expect([status, text]).toEqual([statusOfRefusal[format], expect.stringContaining('704')]);
    expect(upstream.bodies.length).toBe(before + 1);
  });

  test('a wrong field has the name that its caller gave it', async () => {
    const before = upstream.bodies.length;
    const wrong: Message = { ...first.messages.json, body: JSON.stringify(imported.wrong) };
    const pairs = flatten(imported.wrong);
    const inForm: Message = { ...first.messages.form, body: new URLSearchParams(pairs).toString() };
    const inSoap: Message = { ...first.messages.soap11, body: await wrongInSoap(imported, convert) };
    const texts = { json: await send(wrong), form: await send(inForm), soap11: await send(inSoap) };
    for (const [format, name] of Object.entries(imported.wrongNames))
      expect([format, texts[format as keyof typeof texts].text]).toEqual([format, expect.stringContaining(name)]);
    expect(upstream.bodies.length).toBe(before);
  });

  test('a kill while requests in FORM and SOAP 1.2 are at the server leaves them pending, and an operator settles them', async () => {
    const keys = { form: 'killed-form', soap12: 'killed-soap12' } as const;
    const lostFormats = ['form', 'soap12'] as const;
    const before = upstream.bodies.length;
    upstream.hold();
    const lost = lostFormats.map((format) =>
      send(first.messages[format], { 'Idempotency-Key': keys[format] }).catch(() => 'no answer'),
    );
    await until('the server to have them', async () => upstream.bodies.length === before + 2);
    gateway.child.kill('SIGKILL');
    await gateway.over;
    expect(await Promise.all(lost)).toEqual(['no answer', 'no answer']);
    upstream.release();
    gateway = await start();
    for (const format of lostFormats) {
      const key = { 'Idempotency-Key': keys[format] };
      // Whether it had its effect is not known, so a retry is not sent.
      await until('the request to count as unknown', async () => {
        const { status, text } = await send(first.messages.json, key);
        return status === 502 && text.includes('not known');
      });
      expect(upstream.bodies.length).toBe(before + 2);
      const keyFile = join(folder.path, `${format}.txt`);
      writeFileSync(keyFile, keys[format]);
      expect(await run('pending', 'list')).toContain(`${imported.service}.${imported.operation}`);
      const found = await run('pending', 'record', 'anonymous', '--key-file', keyFile);
      const listed = JSON.parse(await run('pending', 'list', '--json')) as readonly { readonly id: string }[];
      const id = listed.find((each) => found.includes(each.id))?.id ?? '';
      expect(await run('pending', 'show', id)).toContain(Object.keys(imported.input)[0]);
      await run('pending', 'settle', id, '--done', JSON.stringify(imported.settled));
      for (const each of formats) {
        const { status, text, isReplayed } = await send(first.messages[each], key);
        expect([each, status, text.includes(imported.answered), isReplayed]).toEqual([each, 200, true, true]);
      }
      expect(upstream.bodies.length).toBe(before + 2);
    }
    expect(JSON.parse(await run('pending', 'list', '--json'))).toEqual([]);
  });

  test('callers without a credential are listed by format, and one format of theirs can be switched off', async () => {
    for (const format of formats) await send(first.messages[format], { 'User-Agent': `client of ${format}` });
    await until('the callers to be recorded', async () => {
      const callers = JSON.parse(await run('callers', '--json', '--credential', 'anonymous')) as readonly Caller[];
      const own = callers.filter(
        ({ operation, service }) => operation === imported.operation && service === imported.service,
      );
      return formats.every((format) =>
        own.some((each) => each.format === format && each.client.includes(`client of ${format}`)),
      );
    });
    const filter = ['--operation', imported.operation, '--format', 'soap11'];
    const [{ id }] = JSON.parse(await run('callers', '--json', ...filter)) as [Caller];
    expect(decoded(await run('callers', 'show', id))).toContain(`/${imported.operation}`);
    expect(await run('callers', 'readiness', '--format', 'soap11')).toContain(
      `${imported.service}.${imported.operation}`,
    );
    const now = Date.now();
    const window = `${new Date(now - 60_000).toISOString().slice(0, 19)}Z/${new Date(now + 600_000).toISOString().slice(0, 19)}Z`;
    const rule = ['--format', 'soap11', '--service', imported.service, '--operation', imported.operation];
    expect(await run('deprecations', 'add', ...rule, '--brown-out', window, '--dry-run')).toContain('anonymous');
    await run('deprecations', 'add', ...rule, '--brown-out', window);
    await until('the rule to be applied', async () =>
      (await send(first.messages.soap11)).text.includes('Switched off'),
    );
    const statuses = await Promise.all(formats.map(async (format) => (await send(first.messages[format])).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(formats.length - 1);
  });
});

/** A request counts as unknown when no attempt can be under way any more. */
function shortenTimeouts(path: string): void {
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/upstreams: \{\n.*\{\n/, '$&timeouts: { totalMs: 2_000 },\n'));
}

interface Caller {
  readonly id: string;
  readonly service: string;
  readonly operation: string;
  readonly format: string;
  readonly client: string;
}

/** Forms encode the answer. */
function decoded(text: string): string {
  return /^[^<{]*=/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
}

/** The right request in SOAP with the wrong value in the place of the right one. */
async function wrongInSoap(
  { wrong }: ImportedService,
  convert: (name: string, message: object) => Promise<Converted>,
): Promise<string> {
  const marker = '4711';
  const right = JSON.parse(JSON.stringify(wrong), (_, value) =>
    value === wrongValueOf(wrong) ? Number(marker) : value,
  );
  const { messages } = await convert('right.json', right);
  return messages.soap11.body.replace(marker, String(wrongValueOf(wrong)));
}

function wrongValueOf(wrong: object): string {
  const [, value = ''] = /"(much|many|one)"/.exec(JSON.stringify(wrong)) ?? [];
  return value;
}

function flatten(value: unknown, path = ''): Record<string, string> {
  if (typeof value !== 'object' || value === null) return { [path]: String(value) };
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, each]) => flatten(each, path === '' ? name : `${path}.${name}`)),
  );
}
