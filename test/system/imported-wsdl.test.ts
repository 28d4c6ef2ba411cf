/** Stubs of foreign WSDLs, by third-party clients, call a gateway that serves what was imported from these. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { implement } from '../../src/stores/handlers.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { serviceOf } from '../support/services.ts';

const run = promisify(execFile);
const client = (name: string) => join(import.meta.dirname, 'imported-clients', name);
const fileOf = (name: string) => join(import.meta.dirname, '../wsdl', `${name}.wsdl`);

const clients = {
  php: ['php', client('client.php')],
  // The system's interpreter: zeep is a system package.
  zeep: ['/usr/bin/python3', client('client.py')],
  soap: [process.execPath, client('client.mjs')],
} as const;

/** What each client sends and receives. `asked`: the canonical input. */
const cases = [
  {
    wsdl: 'asmx',
    operation: 'PlaceOrder',
    address: '/shop/OrderService.asmx',
    answer: { PlaceOrderResult: { Status: 'Accepted', Total: 1234567.5 } },
    asked: {
      order: {
        Number: 'A-1 <&> Ω',
        Lines: [
          { Sku: '007', Quantity: 2, Price: '19.9' },
          { Quantity: 1, Price: '5' },
        ],
      },
    },
    sent: {
      order: {
        Number: 'A-1 <&> Ω',
        Due: null,
        Lines: {
          Line: [
            { Sku: '007', Quantity: 2, Price: '19.90' },
            { Quantity: 1, Price: '5' },
          ],
        },
      },
    },
    received: { Status: 'Accepted', Total: 1234567.5 },
    names: ['php', 'zeep', 'soap'],
  },
  {
    wsdl: 'jaxws',
    operation: 'placeOrder',
    address: '/shop/orders',
    answer: { return: { status: 'accepted', total: 0.25 } },
    asked: {
      order: {
        number: 'A-2',
        line: [
          { sku: 'x', quantity: 2 },
          { sku: 'y', quantity: 3 },
        ],
        due: '2026-02-28',
      },
    },
    sent: {
      order: {
        number: 'A-2',
        line: [
          { sku: 'x', quantity: 2 },
          { sku: 'y', quantity: 3 },
        ],
        due: '2026-02-28',
      },
    },
    received: { status: 'accepted', total: 0.25 },
    names: ['php', 'zeep', 'soap'],
  },
  {
    wsdl: 'nusoap',
    operation: 'placeOrder',
    address: '/shop/server.php',
    answer: { status: 'accepted' },
    asked: { number: '0042', lines: [{ sku: 'x', quantity: 2 }] },
    sent: { number: '0042', lines: [{ sku: 'x', quantity: 2 }] },
    received: 'accepted',
    // zeep writes no encoded arrays, and `soap` none that name their items.
    names: ['php'],
  },
] as const;

const seen: unknown[] = [];
let gateway: RunningGateway;
let url: string;
let secret: string;
beforeAll(async () => {
  const services = await Promise.all(
    cases.map(async ({ wsdl, answer }) => {
      const { service } = await importWsdl(fileOf(wsdl), { allowNetwork: false });
      return serviceOf(implementAll(service, answer));
    }),
  );
  const [asmx, jaxws, nusoap] = services;
  // Two of them have one name.
  gateway = await createGateway({ services: [asmx!, nusoap!] });
  other = await createGateway({ services: [jaxws!] });
  url = (await gateway.listen()).origin;
  otherUrl = (await other.listen()).origin;
  const roles = ['order-service', 'shop'];
  const key = { tenant: 'acme', kind: 'apiKey' as const, grants: {} };
  ({ secret } = await gateway.credentials.addCredential({ ...key, roles }));
  otherSecret = (await other.credentials.addCredential({ ...key, roles: ['order-service'] })).secret;
});
let other: RunningGateway;
let otherUrl: string;
let otherSecret: string;
afterAll(async () => {
  await gateway.close();
  await other.close();
});

/** Remembers each input, and answers all with one output. */
function implementAll(service: Service, answer: unknown) {
  const handler = async ({ input }: { readonly input: unknown }) => {
    seen.push(input);
    return answer;
  };
  const handlers = Object.fromEntries([...service.operations.keys()].map((name) => [name, handler]));
  return implement(service as Service<Operation<never>>, handlers as never);
}

describe.each(cases)('the stubs of $wsdl', ({ wsdl, operation, address, asked, sent, received, names }) => {
  test.each(names)('%s', async (name) => {
    const [program, file] = clients[name];
    const isOther = wsdl === 'jaxws';
    // PHP takes the parts of a message one by one, which are named parameters for the others.
    const parameters =
      wsdl === 'nusoap' ? Object.values(sent) : name === 'zeep' ? Object.values(sent) : name === 'php' ? [sent] : sent;
    seen.length = 0;
    const at = (isOther ? otherUrl : url) + address;
    const { stdout } = await run(program, [
      file,
      fileOf(wsdl),
      at,
      isOther ? otherSecret : secret,
      operation,
      JSON.stringify(parameters),
    ]);
    const answer = JSON.parse(stdout);
    expect(seen).toEqual([asked]);
    expect(answer.PlaceOrderResult ?? answer.return ?? answer).toEqual(received);
  });
});
