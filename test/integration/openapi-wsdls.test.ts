/**
 * OpenAPI documents of many makers: every operation is imported, and its contract can be written. The derived WSDLs are read again, are valid
 * for xmllint, and zeep and PHP find each operation in them.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { corpusOf, ownDocuments } from '../support/corpus.ts';
import { tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const files = [...ownDocuments('openapi'), ...corpusOf('openapi')];
const folder = tempFolder();
/** Operations by WSDL. */
const expected: Record<string, number> = {};

beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
  writeFileSync(join(folder.path, 'any.xml'), '<any/>');
});
afterAll(() => folder.discard());

// The tests behind these read the WSDLs that they write.
test.each(files)('%s', async (document) => {
  const { service, declared, text, findings } = await importOpenApi(document, { allowNetwork: false });
  const refused = findings.filter(({ kind, text }) => kind === 'refused' && /the operation \w+ is left out/.test(text));
  expect([service.operations.size, refused]).toEqual([declared, []]);
  expect(text()).toContain("from 'triglyph/contract'");
  createProtocols([service]);
  const wsdl = deriveWsdl(service, { address: 'http://gateway.example/', soap12: true });
  const file = basename(document);
  const path = join(folder.path, `${file}.wsdl`);
  expected[file] = service.operations.size;
  writeFileSync(path, wsdl);
  writeFileSync(join(folder.path, `${file}.xsd`), schemaOf(wsdl));
  const again = await importWsdl(path, { allowNetwork: false });
  expect([...again.services[0]!.service.operations.keys()]).toEqual([...service.operations.keys()]);
});

/** The schema of a WSDL without what is around it: xmllint compiles it. */
function schemaOf(wsdl: string): string {
  const [schema = ''] = /<xsd:schema[\s\S]*<\/xsd:schema>/.exec(wsdl) ?? [];
  const [, declared = ''] = /<(?:wsdl:)?definitions([^>]*)>/.exec(wsdl) ?? [];
  const prefixes = (declared.match(/xmlns:[\w.-]+="[^"]*"/g) ?? []).filter(
    (each) => !schema.slice(0, 2_000).includes(each),
  );
  return schema.replace('<xsd:schema', `<xsd:schema ${prefixes.join(' ')}`);
}

/** What a program prints for each WSDL: its name, and the operations that it has found. */
async function countsBy(command: string, parameters: readonly string[]): Promise<Record<string, number>> {
  const { stdout } = await run(command, [...parameters, folder.path], { maxBuffer: 1 << 26 });
  const lines = stdout.trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => [line.split(' ')[0]!.replace('.wsdl', ''), Number(line.split(' ')[1])]),
  );
}

test('xmllint compiles their schemas', async () => {
  for (const file of Object.keys(expected)) {
    const schema = join(folder.path, `${file}.xsd`);
    const linted = run('xmllint', ['--noout', '--schema', schema, join(folder.path, 'any.xml')]);
    // 3: the document is not valid; 5: the schema is not.
    await expect(linted).rejects.toMatchObject({ code: 3 });
  }
});

test('zeep loads them', async () => {
  const program = `import pathlib, sys, zeep
for path in sorted(pathlib.Path(sys.argv[1]).glob('*.wsdl')):
  try:
    client = zeep.Client(str(path))
    print(path.name, len(client.service._operations))
  except Exception as error:
    print(path.name, -1, repr(error))`;
  expect(await countsBy('/usr/bin/python3', ['-c', program])).toEqual(expected);
});

// It lists an operation for each version of SOAP.
test('PHP loads them', async () => {
  const program = `foreach (glob($argv[1] . '/*.wsdl') as $file) {
    try { $found = count(array_unique((new SoapClient($file, ['cache_wsdl' => WSDL_CACHE_NONE]))->__getFunctions())); } catch (SoapFault $fault) { $found = $fault->getMessage(); }
    echo basename($file), ' ', $found, "\n"; }`;
  expect(await countsBy('php', ['-r', program, '--'])).toEqual(expected);
});
