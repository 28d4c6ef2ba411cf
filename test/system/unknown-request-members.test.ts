/** Members of requests that a WSDL lacks, in front of a real SOAP server: refused, or ignored and counted. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listen } from 'soap';
import { triglyph } from '../support/commands.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { post, type ServingProgram, serve } from '../support/serving-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const path = join(import.meta.dirname, '../wsdl/notes.wsdl');
const got: unknown[] = [];
let server: Server;
let location: string;
let folder: TempFolder;
let dropping: ServingProgram;
let saved: ServingProgram;
let refusing: ServingProgram;

const storeOf = (input: object) => {
  got.push(input);
  return { ...input, Extra: 'of the server' };
};

beforeAll(async () => {
  server = createServer();
  const own = `http://127.0.0.1:${await listenLocally(server)}/notes`;
  await new Promise<void>((resolve, reject) => {
    listen(server, {
      path: '/notes',
      services: { Notes: { Notes: { Store: storeOf } } },
      xml: readFileSync(path, 'utf8').replace('http://notes.example/notes', own),
      callback: (error: unknown) => (error ? reject(error) : resolve()),
    });
  });
  location = `${own}?wsdl`;
  folder = tempFolder();
  dropping = await serve(
    ['--wsdl', location, '--save', '.', '--unknown-request-members', 'drop', '--unknown-members', 'drop'],
    folder.path,
  );
  await dropping.stop();
  saved = await serve([], folder.path);
  const other = tempFolder();
  refusing = await serve(['--wsdl', location], other.path);
});
afterAll(async () => {
  await saved.stop();
  await refusing.stop();
  server.closeAllConnections();
  server.close();
  folder.discard();
});

const soapUri = 'http://schemas.xmlsoap.org/soap/envelope/';
const envelope = (content: string) =>
  `<e:Envelope xmlns:e="${soapUri}"><e:Body><Store xmlns="urn:notes">${content}</Store></e:Body></e:Envelope>`;
const requests = (extra: boolean) =>
  [
    ['/Store', 'application/json', JSON.stringify({ Note: 'n', ...(extra && { Other: 'x', More: { a: [1] } }) })],
    ['/Store', 'application/x-www-form-urlencoded', `Note=n${extra ? '&Other=x&More.a=1' : ''}`],
    [
      '',
      'text/xml',
      envelope(`<Note${extra ? ' kind="k"' : ''}>n</Note>${extra ? '<Other>x</Other><More><a>1</a></More>' : ''}`),
    ],
  ] as const;

async function statuses(gateway: ServingProgram, extra: boolean) {
  const answers = [];
  for (const [at, type, body] of requests(extra))
    answers.push(await post(`${gateway.callers}/notes/v1${at}`, type, body));
  return answers;
}

describe('with --unknown-request-members drop, saved and served from the folder', () => {
  test('the server gets the request without them, callers get the answer without its own, and both are counted', async () => {
    const before = got.length;
    for (const { status, text } of await statuses(saved, true)) {
      expect([status, text]).toEqual([200, expect.not.stringContaining('of the server')]);
      expect(text).toContain('n');
    }
    expect(got.slice(before)).toEqual([{ Note: 'n' }, { Note: 'n' }, { Note: 'n' }]);
    const metrics = await (await fetch(`${saved.admin}/metrics`)).text();
    expect(metrics).toMatch(/triglyph_lenient_requests_total\{.*leniency="unknown-members".*\} [123]/);
    expect(readFileSync(join(folder.path, 'contract.ts'), 'utf8')).toContain("unknownRequestMembers: 'drop'");
    expect(readFileSync(join(folder.path, 'triglyph.config.ts'), 'utf8')).toContain("unknownMembers: 'drop'");
  });

  test('a wrong value of a known member is refused all the same', async () => {
    const { status } = await post(`${saved.callers}/notes/v1/Store`, 'application/json', '{"Note":{"a":1},"Other":1}');
    expect(status).toBeGreaterThanOrEqual(400);
  });
});

describe('the control: without the option', () => {
  test('a request with them is refused before anything is sent, and one without them is answered', async () => {
    const before = got.length;
    for (const { status, text } of await statuses(refusing, true))
      expect([status >= 400, text]).toEqual([true, expect.stringContaining('Other')]);
    expect(got).toHaveLength(before);
    for (const { status, text } of await statuses(refusing, false))
      expect([status, text]).toEqual([200, expect.stringContaining('server')]);
  });

  test('the options belong to a document', async () => {
    const { code, stderr } = await triglyph(['serve', '--unknown-request-members', 'drop'], folder.path);
    expect([code, stderr]).toEqual([1, expect.stringContaining('belong to --wsdl or --openapi')]);
  });
});
