/** Imports the WSDL documents of this program: the contract gives the same documents again, and reads the same requests. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ordersV1 } from '../../examples/orders/contract.ts';
import { namedOperations, ownUri, type Service, serviceAddress } from '../../src/contract/service.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { deriveXsd } from '../../src/documents/xsd.ts';
import { createProtocols } from '../../src/formats/index.ts';
import { compileRoutes } from '../../src/gateway/route.ts';
import { services } from '../../src/services/index.ts';
import { importWsdl } from '../../src/wsdl/import-wsdl.ts';
import { outcomeOf } from '../support/exchange.ts';
import { invoicesV1, wrappedInvoicesV1 } from '../support/invoices.ts';
import { rpcShipmentsV1, shipmentsV1 } from '../support/shipments.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
});
afterAll(() => folder.discard());

const origin = 'https://gateway.example';
const addressOf = (service: Service) => origin + serviceAddress(service);
const wsdlOf = (service: Service) => deriveWsdl(service, { address: addressOf(service), soap12: true });

async function reimport(service: Service): Promise<Service> {
  const file = join(folder.path, `${service.name}-v${service.version}.wsdl`);
  writeFileSync(file, wsdlOf(service));
  const imported = await importWsdl(file, { allowNetwork: false });
  expect(imported.findings.filter(({ kind }) => kind === 'refused')).toEqual([]);
  return imported.service;
}

const named = [...services, ordersV1, invoicesV1, wrappedInvoicesV1, shipmentsV1, rpcShipmentsV1].filter(
  (service) => namedOperations(service).length > 0,
);

describe.each(named.map((service) => [`${service.name} v${service.version}`, service] as const))('%s', (_, service) => {
  test('its WSDL gives a contract with the same WSDL and the same schemas', async () => {
    const imported = await reimport(service);
    expect(wsdlOf(imported)).toBe(wsdlOf(service));
    expect(deriveXsd(imported, (name) => name)).toEqual(deriveXsd(service, (name) => name));
    expect(imported).toMatchObject({ name: service.name, version: service.version, address: service.address });
    expect(ownUri(imported)).toBe(ownUri(service));
  });

  test('requests of its stubs are read, and its answers', async () => {
    const imported = await reimport(service);
    const own = { protocols: createProtocols([service]), routes: compileRoutes([service]) };
    const other = { protocols: createProtocols([imported]), routes: compileRoutes([imported]) };
    for (const operation of namedOperations(service))
      for (const extent of ['full', 'minimal'] as const) {
        const same = imported.operations.get(operation.name)!;
        const call = own.protocols.soap11.encodeRequest(service, operation, exampleOf(operation.input, extent));
        const outcome = outcomeOf(other.protocols, 'soap11', call, other.routes);
        expect(outcome).toEqual({ operation: operation.name, input: expect.any(String) });
        const { input } = outcome as { readonly input: string };
        expect(other.protocols.soap11.encodeRequest(imported, same, JSON.parse(input)).body.length).toBeGreaterThan(0);
        const answer = own.protocols.soap11.encode(operation, exampleOf(operation.output, extent)).body;
        expect(other.protocols.soap11.decodeResponse(same, answer).issues).toEqual([]);
      }
  });
});

test('the committed documents give the contract', async () => {
  const file = join(import.meta.dirname, '../../wsdl/Recurring-v68.wsdl');
  const { service } = await importWsdl(file, { allowNetwork: false });
  expect(wsdlOf(service)).toBe(readFileSync(file, 'utf8'));
});
