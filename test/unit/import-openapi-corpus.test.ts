/** OpenAPI documents of many makers: every operation is imported, its contract can be written, and its WSDL is read again. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { importOpenApi } from '../../src/documents/openapi-import/import-openapi.ts';
import { importWsdl } from '../../src/documents/wsdl/import-wsdl.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { createProtocols } from '../../src/formats/index.ts';
import { tempFolder } from '../support/temp-folder.ts';

const corpus = join(import.meta.dirname, '../openapi/corpus');
const files = [...readdirSync(corpus).filter((name) => /\.(?:yaml|json)$/.test(name)), 'redocly/openapi.yaml'];

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
});
afterAll(() => folder.discard());

test.each(files)('%s', async (name) => {
  const { service, declared, text, findings } = await importOpenApi(join(corpus, name), { allowNetwork: false });
  const refused = findings.filter(({ kind, text }) => kind === 'refused' && /the operation \w+ is left out/.test(text));
  expect([service.operations.size, refused]).toEqual([declared, []]);
  expect(text()).toContain("from 'triglyph/contract'");
  createProtocols([service]);
  const file = join(folder.path, 'derived.wsdl');
  const wsdl = deriveWsdl(service, { address: 'http://gateway.example/', soap12: true });
  writeFileSync(file, wsdl);
  const again = await importWsdl(file, { allowNetwork: false });
  expect([...again.services[0]!.service.operations.keys()]).toEqual([...service.operations.keys()]);
});

test('the corpus is as large as its table says', () => {
  expect(files.length).toBeGreaterThanOrEqual(60);
});
