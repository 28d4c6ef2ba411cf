/** Imports the WSDL documents of this program: the contract gives the same documents again, and reads the same requests. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ordersV1 } from '../../examples/orders/contract.ts';
import { type Operation, operation } from '../../src/core/contract/operation.ts';
import { namedOperations, ownUri, type Service, service, serviceAddress } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { deriveXsd } from '../../src/documents/xsd.ts';
import { services } from '../../src/payments/index.ts';
import { outcomeOf } from '../support/exchange.ts';
import { importWsdl } from '../support/import-wsdl.ts';
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

/** Elements of messages that are not called request and result are imported as fields, which state no maxOccurs of 1. */
const hasOwnNames = ({ operations }: Service) =>
  [...operations.values()].some(({ elements }) => elements?.request !== undefined);

describe.each(named.map((service) => [`${service.name} v${service.version}`, service] as const))('%s', (_, service) => {
  const comparable = (text: string) => (hasOwnNames(service) ? text.replaceAll('maxOccurs="1" ', '') : text);

  test('its WSDL gives a contract with the same WSDL and the same schemas', async () => {
    const imported = await reimport(service);
    expect(comparable(wsdlOf(imported))).toBe(comparable(wsdlOf(service)));
    const schemasOf = (of: Service) =>
      new Map([...deriveXsd(of, (name) => name)].map(([at, text]) => [at, comparable(text)]));
    expect(schemasOf(imported)).toEqual(schemasOf(service));
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

describe('the SOAPAction', () => {
  const withActions = (soapAction: (name: string) => NonNullable<Operation['soapAction']>) =>
    service({
      ...invoicesV1,
      operations: [...invoicesV1.operations.values()].map((each) =>
        operation({ ...each, soapAction: soapAction(each.name) }),
      ),
    });
  const importText = async (text: string) => {
    const file = join(folder.path, 'actions.wsdl');
    writeFileSync(file, text);
    return importWsdl(file, { allowNetwork: false });
  };

  test.each([
    ['one for both versions of SOAP', withActions((name) => `urn:invoices/${name}`)],
    ['two', withActions((name) => ({ soap11: `urn:invoices/${name}`, soap12: `urn:invoices/12/${name}` }))],
    ['one for SOAP 1.1 alone', withActions((name) => ({ soap11: `urn:invoices#${name}`, soap12: '' }))],
    ['one with a space', withActions((name) => `urn:my invoices/${name}`)],
  ])('is kept: %s', async (_, contract) => {
    const imported = await reimport(contract);
    expect(wsdlOf(imported)).toBe(wsdlOf(contract));
    for (const { name, soapAction } of contract.operations.values())
      expect(imported.operations.get(name)!.soapAction).toEqual(soapAction);
  });

  test('of the chosen port is first, and that of the other version is kept, too', async () => {
    const text = wsdlOf(withActions(() => ({ soap11: 'urn:1', soap12: 'urn:2' })));
    for (const port of ['InvoicesHttpPort', 'InvoicesHttpPort12']) {
      const file = join(folder.path, 'actions.wsdl');
      writeFileSync(file, text);
      const { service: imported, text: written } = await importWsdl(file, { allowNetwork: false, port });
      const [first] = imported.operations.values();
      expect(first!.soapAction).toEqual({ soap11: 'urn:1', soap12: 'urn:2' });
      expect(written).toContain("soapAction: { soap11: 'urn:1', soap12: 'urn:2' },");
    }
  });

  test('of a WSDL for one version holds for both', async () => {
    const text = deriveWsdl(
      withActions(() => 'urn:1'),
      { address: 'http://x/', soap12: false },
    );
    const { service: imported, text: written } = await importText(text);
    expect(imported.operations.values().next().value!.soapAction).toBe('urn:1');
    expect(written).toContain("soapAction: 'urn:1',");
  });

  test('that no header can have is left out, with its place', async () => {
    const text = wsdlOf(withActions(() => 'urn:1')).replace(
      'soapAction="urn:1"',
      'soapAction="urn:\u00e4&#10;X-Key: 1"',
    );
    const { service: imported, findings } = await importText(text);
    const [first] = imported.operations.values();
    expect(first!.soapAction).toEqual({ soap11: '', soap12: 'urn:1' });
    expect(findings.filter(({ kind }) => kind === 'refused')).toMatchObject([
      { path: expect.stringContaining('/binding'), text: expect.stringContaining('no header can have the SOAPAction') },
    ]);
  });
});
