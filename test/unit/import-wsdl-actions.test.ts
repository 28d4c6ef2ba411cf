/** Actions of WS-Addressing that a WSDL states: answers have them, and the derived WSDL says so. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { Service } from '../../src/core/contract/service.ts';
import type { MessageHeader } from '../../src/core/formats/protocol.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { ownDocument } from '../support/corpus.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { tempFolder } from '../support/temp-folder.ts';

const file = ownDocument('tides.wsdl');
const folder = tempFolder();
afterAll(() => folder.discard());

const wsdlOf = (service: Service) => deriveWsdl(service, { address: 'http://actions.example/', soap12: false });

/** The action in the answer to an addressed request. */
function replyOf(service: Service): string | undefined {
  const { soap11 } = createProtocols([service]);
  const operation = service.operations.get('measure');
  const { body } = soap11.encodeRequest(service, operation!, { place: 'Ostend' });
  const block = (name: string, text: string): string =>
    `<a:${name} xmlns:a="http://www.w3.org/2005/08/addressing">${text}</a:${name}>`;
  const action = block('Action', 'urn:tides:measure') + block('MessageID', 'urn:one');
  const sent = body.replace('<soap:Body>', `<soap:Header>${action}</soap:Header><soap:Body>`);
  const header: MessageHeader = {};
  const target = { service, version: service.version, operation: undefined };
  soap11.decode(
    Buffer.from(sent),
    { type: 'text/xml', charset: undefined },
    target,
    { query: '', headers: {} },
    header,
  );
  const answer = header.relate?.(soap11.encode(operation!, { height: '4 m' }));
  return /<wsa:Action[^>]*>([^<]*)</.exec(answer?.body ?? '')?.[1];
}

test('the action of an answer is that of the WSDL, also after the derived one is imported', async () => {
  const { service, text } = await importWsdl(file, { allowNetwork: false });
  expect(replyOf(service)).toBe('urn:tides:measured');
  expect(text).toMatch(/replyAction: '?"?urn:tides:measured/);
  expect(wsdlOf(service)).toContain('wsam:Action="urn:tides:measured"');
  const derived = join(folder.path, 'derived.wsdl');
  writeFileSync(derived, wsdlOf(service));
  expect(replyOf((await importWsdl(derived, { allowNetwork: false })).service)).toBe('urn:tides:measured');
});

test('without one it follows from the names: a control', async () => {
  const { service } = await importWsdl(file, { allowNetwork: false });
  const operations = new Map(
    [...service.operations].map(([name, { replyAction: _, ...operation }]) => [name, operation] as const),
  );
  const without = { ...service, operations };
  expect(replyOf(without)).toBe('urn:tides:warnings:TidesPortType:measureResponse');
  expect(wsdlOf(without)).not.toContain('wsam');
});
