/** What WSDLs say of bytes beside the envelope: the contract has it, and the derived WSDL says it again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Service } from '../../src/core/contract/service.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { ownDocument } from '../support/corpus.ts';
import { tempFolder } from '../support/temp-folder.ts';

const original = readFileSync(ownDocument('attachments.wsdl'), 'utf8');
const folder = tempFolder();
afterAll(() => folder.discard());

const importText = async (text: string) => {
  const file = join(folder.path, 'a.wsdl');
  writeFileSync(file, text);
  const { services, findings } = await importWsdl(file, { allowNetwork: false });
  return { service: services[0]!.service, findings };
};

const fieldsOf = (service: Service, name: string, side: 'input' | 'output') =>
  service.operations.get(name)![side].fields;

test('types, media types, parts of messages and the policy', async () => {
  const { service } = await importText(original);
  expect(service.mtom).toBe(true);
  expect(fieldsOf(service, 'Keep', 'input')).toMatchObject({
    Scan: { schema: { kind: 'binary', max: 104_857_600, mediaType: 'image/png' } },
    Linked: { schema: { kind: 'binary', attached: 'swaRef' } },
  });
  expect(fieldsOf(service, 'Keep', 'input').Any!.schema).not.toHaveProperty('mediaType');
  expect(fieldsOf(service, 'Mail', 'input')).toMatchObject({
    photo: { xml: 'attachment', schema: { kind: 'binary' } },
    text: { xml: 'attachment', schema: { kind: 'binary', mediaType: 'text/plain' } },
  });
  expect(fieldsOf(service, 'Mail', 'input').photo!.schema).not.toHaveProperty('mediaType');
  // The Body names no parts: those beside it are not in it.
  expect(fieldsOf(service, 'Mail', 'output')).toEqual({ receipt: expect.objectContaining({ xml: 'attachment' }) });
});

test('the derived WSDL says the same, and is imported as the same', async () => {
  const { service } = await importText(original);
  const derived = deriveWsdl(service, { address: 'http://localhost/', soap12: true });
  const again = await importText(derived);
  for (const name of ['Keep', 'Mail'])
    for (const side of ['input', 'output'] as const) {
      const kept = (of: Service) =>
        Object.entries(fieldsOf(of, name, side)).map(([field, { schema, xml }]) => [field, schema, xml]);
      expect(JSON.stringify(kept(again.service))).toBe(JSON.stringify(kept(service)));
    }
  // wsimport refuses parts of a request and of its response that have one name and two types.
  const partsOf = (message: string) =>
    [
      ...(derived.split(`<wsdl:message name="${message}">`)[1]?.split('</wsdl:message>')[0] ?? '').matchAll(
        /name="(\w+)"/g,
      ),
    ].map(([, part]) => part);
  expect(partsOf('KeepResponse')).toEqual(['parameters']);
  expect([partsOf('MailRequest'), partsOf('MailResponse')]).toEqual([
    ['parameters', 'photo', 'text'],
    ['result', 'receipt'],
  ]);
  expect(derived).toContain('xmime:expectedContentTypes="image/png"');
  expect(derived).toContain('<mime:content part="photo" type="application/octet-stream"');
  // Callers may send bytes as they like.
  expect(again.service.mtom).toBeUndefined();
});

describe('a policy', () => {
  const assertion = '<wsoma:OptimizedMimeSerialization/>';
  test.each<[string, string, true | undefined]>([
    [
      'of an older specification',
      original.replaceAll('http://www.w3.org/ns/ws-policy', 'http://schemas.xmlsoap.org/ws/2004/09/policy'),
      true,
    ],
    [
      'of MTOM 1.1',
      original.replace(assertion, '<m:MTOM xmlns:m="http://www.w3.org/2007/08/soap12-mtom-policy"/>'),
      true,
    ],
    [
      'in the binding',
      original.replace('<wsp:PolicyReference URI="#Optimized"/>', `<wsp:Policy>${assertion}</wsp:Policy>`),
      true,
    ],
    ['that is optional', original.replace('Serialization/>', 'Serialization wsp:Optional="true"/>'), undefined],
    ['with an alternative', original.replace('</wsp:ExactlyOne>', '<wsp:All/></wsp:ExactlyOne>'), undefined],
    ['to which nothing refers', original.replace('<wsp:PolicyReference URI="#Optimized"/>', ''), undefined],
    ['of something else', original.replace(assertion, '<wsp:Nothing/>'), undefined],
  ])('%s', async (_, text, expected) => {
    expect((await importText(text)).service.mtom).toBe(expected);
  });
});

test('encoded messages refer to their attachments', async () => {
  const { services } = await importWsdl(ownDocument('pictures.wsdl'), { allowNetwork: false });
  const [{ service }] = services as [(typeof services)[0]];
  expect(fieldsOf(service!, 'Develop', 'input')).toMatchObject({
    Picture: { schema: { kind: 'binary', attached: 'href' } },
  });
  expect(fieldsOf(service!, 'Scan', 'input').Picture!.schema).not.toHaveProperty('attached');
});

test('a part that is not there, or that a field is called, is reported', async () => {
  const missing = await importText(original.replace('part="text" type="text/plain"', 'part="txt" type="text/plain"'));
  expect(missing.findings.map(({ text }) => text)).toContain(
    'no part txt is declared, so the attachment is neither read nor sent; here first',
  );
  const taken = await importText(
    original.replaceAll('name="photo"', 'name="To"').replaceAll('part="photo"', 'part="To"'),
  );
  expect([...taken.service.operations.keys()]).toEqual(['Keep']);
});
