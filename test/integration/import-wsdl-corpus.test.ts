/** WSDLs of many generators: every operation is imported, its contract can be written, and the derived WSDL has it again. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { measure } from '../../scripts/wsdl-coverage/measure.ts';
import { declaredOperations } from '../../scripts/wsdl-coverage/shape.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { loadDocuments } from '../../src/readers/wsdl/documents.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { createReading } from '../../src/readers/wsdl/read-location.ts';
import { corpusOf, ownDocument, ownDocuments } from '../support/corpus.ts';
import { tempFolder } from '../support/temp-folder.ts';

// One has an operation that an import leaves out.
const own = ownDocuments('wsdl').filter((file) => basename(file) !== 'every-part.wsdl');
const files = [...own, ...corpusOf('wsdl-small')];

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
});
afterAll(() => folder.discard());

async function operationsOf(file: string): Promise<readonly string[]> {
  const declared = declaredOperations(await loadDocuments(file, createReading({ allowNetwork: false })));
  return declared.map(({ name }) => name);
}

test.each(files)('%s', async (file) => {
  const imported = await importWsdl(file, { allowNetwork: false });
  const services = imported.services.map(({ service }) => service);
  const operations = services.flatMap((service) => [...service.operations.keys()]);
  expect(operations.length).toBe((await operationsOf(file)).length);
  expect(imported.text()).toContain("from 'triglyph/contract'");
  const derived = join(folder.path, basename(file));
  for (const service of services) {
    writeFileSync(derived, deriveWsdl(service, { address: 'http://gateway.example/', soap12: true }));
    expect(await operationsOf(derived)).toEqual([...service.operations.keys()]);
    const again = await importWsdl(derived, { allowNetwork: false });
    expect([...again.services[0]!.service.operations.keys()]).toEqual([...service.operations.keys()]);
  }
});

test('of large, broken and unusual documents no operation is lost in silence, and none ends the import', async () => {
  for (const file of [...ownDocuments('wsdl'), ...corpusOf('wsdl')]) {
    const { attainable, imported, causes, crash } = await measure(file);
    expect([file, crash]).toEqual([file, undefined]);
    if (imported < attainable) expect([file, causes]).not.toEqual([file, []]);
  }
});

test('an element of simple type in another namespace than that of the service keeps its type', async () => {
  const { services } = await importWsdl(ownDocument('tides.wsdl'), { allowNetwork: false });
  const derived = deriveWsdl(services[0]!.service, { address: 'http://gateway.example/', soap12: false });
  expect(derived).toContain('<xsd:element name="place" type="xsd:string"/>');
  // wsdl.exe takes a part called `parameters` for a wrapper, which a text is not.
  expect(derived).toContain('<wsdl:part name="body" element="m:place"/>');
  expect(derived).not.toContain('name="parameters"');
});
