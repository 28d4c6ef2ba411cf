/** Actions of WS-Addressing that a WSDL states: answers have them, and the derived WSDL says so. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { Service } from '../../src/contract/service.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { createProtocols } from '../../src/formats/index.ts';
import type { MessageHeader } from '../../src/formats/protocol.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { tempFolder } from '../support/temp-folder.ts';

const file = join(import.meta.dirname, '../wsdl/corpus/WSAActionService.wsdl');
const folder = tempFolder();
afterAll(() => folder.discard());

const wsdlOf = (service: Service) => deriveWsdl(service, { address: 'http://actions.example/', soap12: false });

/** The action in the answer to an addressed request. */
function replyOf(service: Service): string | undefined {
  const { soap11 } = createProtocols([service]);
  const [operation] = [...service.operations.values()];
  const { body } = soap11.encodeRequest(service, operation!, {});
  const block = (name: string, text: string): string =>
    `<a:${name} xmlns:a="http://www.w3.org/2005/08/addressing">${text}</a:${name}>`;
  const action = block('Action', 'myInputAction') + block('MessageID', 'urn:one');
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
  const answer = header.relate?.(soap11.encode(operation!, {}));
  return /<wsa:Action[^>]*>([^<]*)</.exec(answer?.body ?? '')?.[1];
}

test('the action of an answer is that of the WSDL, also after the derived one is imported', async () => {
  const { service, text } = await importWsdl(file, { allowNetwork: false });
  expect(replyOf(service)).toBe('myOutputAction');
  expect(text).toMatch(/replyAction: '?"?myOutputAction/);
  expect(wsdlOf(service)).toContain('wsam:Action="myOutputAction"');
  const derived = join(folder.path, 'derived.wsdl');
  writeFileSync(derived, wsdlOf(service));
  expect(replyOf((await importWsdl(derived, { allowNetwork: false })).service)).toBe('myOutputAction');
});

test('without one it follows from the names: a control', async () => {
  const { service } = await importWsdl(file, { allowNetwork: false });
  const operations = new Map(
    [...service.operations].map(([name, { replyAction: _, ...operation }]) => [name, operation] as const),
  );
  const without = { ...service, operations };
  expect(replyOf(without)).toBe(
    `http://server.fromwsdl.jaxws1040.bugs/${service.name}PortType/${[...operations.keys()][0]}Response`,
  );
  expect(wsdlOf(without)).not.toContain('wsam');
});
