/** Runs the printed calls of every language against a gateway: the canonical input arrives as it was. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type LanguageName, languageNames, languages, printCallSource } from '../../src/convert/call-source.ts';
import { createProtocols, type ProtocolName } from '../../src/core/formats/wire-formats.ts';
import {
  boolean,
  decimal,
  integer,
  list,
  map,
  object,
  operation,
  optional,
  required,
  service,
  string,
} from '../../src/program/api/contract.ts';
import { createGateway } from '../../src/program/api/index.ts';
import { type TestGateway, withControls } from '../../src/program/api/testing.ts';
import { isInstalled, runProgram } from '../support/interpreters.ts';
import { tempFolder } from '../support/temp-folder.ts';

const text = string({ max: 2000, example: 'a' });
const note = object('Note', {
  text: required(text, 'A text.'),
  count: optional(integer(-9, 99, 1), 'A number.'),
  isUrgent: optional(boolean(true), 'A flag.'),
  amount: optional(decimal({ digits: 30, fraction: 10, example: '1.5' }), 'An amount.'),
  labels: optional(map(10, { a: 'b' }), 'Labels.'),
  lines: optional(
    list(object('Line', { text: required(text, 'A text.') }), 'Line', { wrapped: true, max: 40 }),
    'Lines.',
  ),
});
const writes = { effect: 'writes', role: 'notes', problems: [], doc: 'Answers what it receives.' } as const;
const storeNote = operation({ name: 'storeNote', ...writes, input: note, output: object('StoredNote', note.fields) });
const notes = service({
  name: 'Notes',
  version: 1,
  doc: 'Notes.',
  address: '/notes',
  legacy: { adapter: '/notes/form' },
  namespaces: { own: 'n', uris: { n: 'urn:example:notes' } },
  operations: [storeNote],
});

const id = required(string({ max: 200, example: '1' }), 'The id.', { in: 'path' });
const header = optional(string({ max: 200, example: '1' }), 'A header.', { in: 'header', header: 'X-Note' });
const changeThing = operation({
  name: 'changeThing',
  ...writes,
  http: { method: 'PATCH', path: '/things/{id}' },
  input: object('Thing', {
    id,
    header,
    query: optional(text, 'A text.', { in: 'query' }),
    text: optional(text, 'A text.'),
  }),
  output: object('ChangedThing', {}),
});
const findThing = operation({
  name: 'findThing',
  ...writes,
  effect: 'reads',
  http: { method: 'GET', path: '/things/{id}' },
  input: object('FoundThing', { id, query: optional(text, 'A text.', { in: 'query' }) }),
  output: object('FoundThingResult', {}),
});
const things = service({
  name: 'Things',
  version: 1,
  doc: 'Things.',
  address: '/rest',
  operations: [changeThing, findThing],
});

/** What closes a literal, begins an expression or hides in an editor in one of the languages. */
const hostile = [
  `'"\\\`$(id)\${id}#{id}#$0{$id}%s%d {0} <!-- ?> */ // # <?php`,
  `\\' \\" \\\\ \\n \\u0041 \\x41 \\101 \\`,
  'a\nEOF\nJSON\nXML\n"""\n\'\'\'\n~~~\n=begin\n__END__\n?>\n',
  'tab\tend\r\nline\rreturn',
  'Zoë Ω 日本語 😀 👩‍👩‍👧 \u202eabc \u2028 \u2029 \u0085 \u007f \ufeff \u{e0001}',
  '&amp; ]]> <![CDATA[x]]> a=b&c=d+e %41 @file -X @',
  '!history ~ * ? [a-z] {a,b} | ; & > < ( )',
];
const input = {
  text: hostile.join(' '),
  count: 7,
  isUrgent: false,
  amount: '12345678901234567890.123456789',
  labels: { '0': hostile[0], '1.0': 'a', "it's": hostile[1], 'a$b"\\': hostile[4], constructor: 'c' },
  lines: hostile.map((each) => ({ text: each })),
};

const own = [
  notes.with({ storeNote: async ({ input: given }) => given }),
  things.with({ changeThing: async () => ({}), findThing: async () => ({}) }),
];
const protocols = createProtocols([notes, things]);
const folder = tempFolder();
let gateway: TestGateway;
let origin: string;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  gateway = await createGateway(withControls({ services: own }));
  origin = (await gateway.listen()).origin;
  const credential = { tenant: 'acme', roles: ['notes'], grants: {} };
  const { secret } = await gateway.credentials.addCredential({ ...credential, kind: 'apiKey' });
  const basic = await gateway.credentials.addCredential({ ...credential, kind: 'basic', username: 'ws@Tenant.acme' });
  environment = { API_KEY: secret, API_USER: 'ws@Tenant.acme', API_PASSWORD: basic.secret };
});
afterAll(async () => {
  await gateway.close();
  folder.discard();
});

/** The compilers take long, so they compile two programs each. */
const isCompiled = (language: LanguageName): boolean => language === 'java' || language === 'csharp';
const installed = languageNames.filter(isInstalled);
const formats: readonly ProtocolName[] = ['json', 'form', 'adapter', 'soap11', 'soap12'];
const named = installed.flatMap((language) =>
  formats.filter((format) => !isCompiled(language) || format === 'json').map((format) => [language, format] as const),
);

test('the machine has the languages that every machine of the tests has', () => {
  expect(installed).toEqual(expect.arrayContaining(['curl', 'php', 'python', 'ruby', 'node']));
});

test.each(named)('%s sends the input in %s', async (language, format) => {
  const request = { service: notes, operation: storeNote, input };
  const { printed, call } = await send(language, printCallSource(language, request, protocols, { origin, format }));
  expect(call).toMatchObject({ operation: 'storeNote', format, outcome: 'ok', input });
  expect(printed).toContain('12345678901234567890.123456789');
});

test.each(installed)('%s sends path, query, headers and the password of a user', async (language) => {
  const thing = { id: `a/b c?d%2F'"\\`, header: `'"\\$(id) \`x\``, query: hostile[0]!, text: hostile[4]! };
  const request = { service: things, operation: changeThing, input: thing };
  const source = printCallSource(language, request, protocols, { origin, credential: 'basic' });
  expect((await send(language, source)).call).toMatchObject({ operation: 'changeThing', outcome: 'ok', input: thing });
});

test.each(installed.filter((language) => !isCompiled(language)))(
  '%s sends a request without a body',
  async (language) => {
    const thing = { id: 'a+b', query: 'a&b' };
    const request = { service: things, operation: findThing, input: thing };
    const source = printCallSource(language, request, protocols, { origin });
    expect(source).not.toContain('Idempotency-Key');
    expect((await send(language, source)).call).toMatchObject({ operation: 'findThing', outcome: 'ok', input: thing });
  },
);

test.each(installed.filter((language) => !isCompiled(language)))('%s prints a refusal', async (language) => {
  const request = { service: notes, operation: storeNote, input: { text: 'a', count: 100 } };
  const { printed, call } = await send(language, printCallSource(language, request, protocols, { origin }));
  expect(call).toMatchObject({ outcome: 'invalidField' });
  expect(printed).toContain('Invalid field count');
});

async function send(language: LanguageName, source: string) {
  const before = gateway.calls.length;
  const place = join(folder.path, String(before));
  const printed = await runProgram(language, { file: languages[language].file, source }, place, environment);
  const calls = gateway.calls.slice(before);
  expect(calls).toHaveLength(1);
  return { printed, call: calls[0] };
}
