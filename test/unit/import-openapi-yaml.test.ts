/** Tests documents in YAML that most readers take, and documents of many files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { indentQuoted } from '../../src/readers/openapi/indent-quoted.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'yaml-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const document = (description: string) => `openapi: 3.0.0
info: { title: Notes, version: '1' }
paths:
  /notes:
    get:
      operationId: listNotes
      description: ${description}
      responses: { '200': { description: ok } }
`;

test.each([
  ['"the notes\n      of a caller"', 'the notes of a caller'],
  ["'the notes:\n\nthe caller''s: \"own\"'", 'the notes: the caller\'s: "own"'],
  ['"a \\"quoted\nname\\\\"', 'a "quoted name\\'],
])('lines of a quoted text may have any indentation: %j', async (text, doc) => {
  const { service } = await importOpenApi(write('a.yaml', document(text)), { allowNetwork: false });
  expect(service.operations.get('listNotes')!.doc).toBe(doc);
});

test('a quoted text without an end is refused, with its place', async () => {
  const failed = importOpenApi(write('b.yaml', document('"the notes\n      of')), { allowNetwork: false });
  await expect(failed).rejects.toThrow(/b\.yaml:10:1: Missing closing "quote/);
});

test('blocks of lines, comments and other values stay as they are', () => {
  const text = [
    'a: |',
    '  b: "open',
    ' # c: "open',
    "d: it's",
    '- "e: \'": >-',
    "    f: 'open",
    '"g": "closed" # "open',
    'h: plain "open',
  ].join('\n');
  expect(indentQuoted(text)).toBe(text);
  expect(indentQuoted('a: "b\nc: d"')).toBe('a: "b\n    c: d"');
});

test('a document may have more than 200 files', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `p${at}.yaml`);
  for (const [at, name] of names.entries())
    write(name, `get: { operationId: get${at}, responses: { '200': { description: ok } } }`);
  const paths = names.map((name, at) => `  /p${at}: { $ref: ${name} }`).join('\n');
  const main = write('main.yaml', `openapi: 3.0.0\ninfo: { title: Many, version: '1' }\npaths:\n${paths}\n`);
  const { service } = await importOpenApi(main, { allowNetwork: false });
  expect(service.operations.size).toBe(300);
});

test.each([
  ['JSON with a comma too many', '{\n  "openapi": "3.0.0",\n  "paths": { "a" 1 }\n}', /c\.json:3:18: no JSON: /],
  ['JSON that ends too early', '{ "openapi": "3.0.0", "info": {', /c\.json:1:32: no JSON: /],
  ['Swagger 1.2', '{ "swaggerVersion": "1.2", "apis": [] }', 'is a document of Swagger 1'],
  ['RAML', '#%RAML 1.0\ntitle: Notes\n', 'is a document of RAML'],
  [
    'a collection of Postman',
    '{ "info": { "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" } }',
    'is a collection of Postman',
  ],
  ['AsyncAPI', 'asyncapi: 2.6.0\ninfo: {}\n', 'is a document of AsyncAPI'],
  ['a WSDL', '<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"/>', 'is a WSDL: give it to --wsdl'],
  ['nothing', '\n', 'is empty'],
  ['another document', '{ "name": "notes" }', 'this is no OpenAPI document'],
])('%s is refused for what it is', async (_, text, reason) => {
  await expect(importOpenApi(write('c.json', text), { allowNetwork: false })).rejects.toThrow(reason);
});

test('control: a document that mentions others is read', async () => {
  const text = document('"<definitions> of getpostman.com, in the \\"swaggerVersion\\": 1"');
  await expect(importOpenApi(write('d.yaml', text), { allowNetwork: false })).resolves.toBeDefined();
});
