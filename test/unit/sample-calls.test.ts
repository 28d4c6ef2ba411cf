/** Tests the calls that `serve` prints for an imported document: each is curl with the body that the server gets. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { operation } from '../../src/core/contract/operation.ts';
import { binary, object, required } from '../../src/core/contract/schema.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { sampleCalls } from '../../src/program/cli/contracts/sample-calls.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { madeUpService } from '../support/made-up-service.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'calls-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function printed(mediaType: string): Promise<string> {
  const file = join(folder, 'api.yaml');
  writeFileSync(
    file,
    `openapi: 3.0.0
info: { title: Files, version: '1' }
paths:
  /files:
    post:
      operationId: addFile
      requestBody:
        content: { ${mediaType}: { schema: { type: object, required: [name], properties: { name: { type: string } } } } }
      responses: { '200': { description: ok } }
`,
  );
  const { service } = await importOpenApi(file, { allowNetwork: false });
  return sampleCalls([service], createProtocols([service]), 'http://gw', undefined).join('\n');
}

test('JSON is printed at the path of the document', async () => {
  expect(await printed('application/json')).toMatch(/JSON:\n.*\n.*'\{"name":"text"\}' \\\n {4}'http:\/\/gw\/files'/);
});

test('an operation with a multipart form is called by its name', async () => {
  const calls = await printed('multipart/form-data');
  expect(calls).toMatch(/JSON:\n.*\n.*'\{"name":"text"\}' \\\n {4}'http:\/\/gw\/Files\/v1\/addFile'/);
  expect(calls).not.toContain('multipart');
});

test.each([
  ['beside the envelope', 'swaRef'],
  ['in it: a control', undefined],
] as const)('bytes %s', (_, attached) => {
  const scan = required(binary({ max: 10, example: 'aGVsbG8=', ...(attached && { attached }) }), '');
  const archive = madeUpService(
    'Archive',
    operation({
      name: 'Keep',
      doc: 'Keeps a scan.',
      effect: 'writes',
      role: 'archive',
      problems: [],
      input: object('KeepRequest', { scan }),
      output: object('KeepResult', {}),
    }),
  );
  const calls = sampleCalls([archive], createProtocols([archive]), 'http://gw', undefined).join('\n');
  const [, piped, type] =
    /SOAP:\n {2}echo (\S+) \| base64 -d \| curl -sS (.*)\\\n {4}--data-binary @-/.exec(calls) ?? [];
  expect(piped !== undefined).toBe(attached !== undefined);
  if (piped === undefined) return expect(calls).toContain('<scan>aGVsbG8=</scan>');
  const message = Buffer.from(piped, 'base64').toString('latin1');
  const boundary = /boundary="([^"]+)"/.exec(type!)![1];
  expect(message.split(`--${boundary}`)).toHaveLength(4);
  expect(message).toMatch(/<scan>cid:[\s\S]*\r\n\r\nhello\r\n--/);
});
