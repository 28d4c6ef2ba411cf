/** An imported contract sends the SOAPAction of its WSDL: servers that demand one answer it, and refuse every other. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listen } from 'soap';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { importWsdl } from '../support/import-wsdl.ts';

const file = join(import.meta.dirname, '../wsdl/asmx.wsdl');
const path = '/shop/OrderService.asmx';
const action = 'http://tempuri.example/PlaceOrder';
const schemaAction = 'http://tempuri.example/GetSchema';

/** The action of a request: a header in SOAP 1.1, a parameter in SOAP 1.2. */
function actionOf({ headers }: IncomingMessage): string | undefined {
  const [, parameter] = /;\s*action="([^"]*)"/.exec(headers['content-type'] ?? '') ?? [];
  return parameter ?? /^"([^"]*)"$/.exec(String(headers.soapaction))?.[1];
}

/** The server of the `soap` package, which obeys the action it gets, behind the check that ASP.NET has: without one it refuses. */
async function startServer(): Promise<{ readonly server: Server; readonly origin: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const operations = {
    PlaceOrder: ({ order }: { readonly order: { readonly Number: string } }) => {
      asked.push(order.Number);
      return { PlaceOrderResult: { Status: 'Accepted', Total: 2.5 } };
    },
    GetSchema: () => ({}),
  };
  await new Promise<void>((resolve, reject) => {
    listen(server, {
      path,
      services: { OrderService: { OrderServiceSoap: operations } },
      xml: readFileSync(file, 'utf8'),
      callback: (error: unknown) => (error ? reject(error) : resolve()),
    });
  });
  const [answer] = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const sent = actionOf(request);
    const fault = `Server did not recognize the value of HTTP Header SOAPAction: ${sent}.`;
    // The package reads the header in both versions.
    request.headers.soapaction = `"${sent}"`;
    if (sent === action) return answer?.call(server, request, response);
    response.writeHead(500, { 'Content-Type': 'text/xml' });
    response.end(
      `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>${fault}</faultstring></s:Fault></s:Body></s:Envelope>`,
    );
  });
  return { server, asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

let upstream: Awaited<ReturnType<typeof startServer>>;
let imported: Service;
beforeAll(async () => {
  upstream = await startServer();
  imported = (await importWsdl(file, { allowNetwork: false })).service;
});
afterAll(() => {
  upstream.server.closeAllConnections();
  upstream.server.close();
});

const gatewayOf = (format: 'soap11' | 'soap12', change: (operation: Operation) => Operation = (each) => each) =>
  createGateway({
    services: [declare({ ...imported, operations: [...imported.operations.values()].map(change) }).answeredBy('shop')],
    upstreams: { shop: { url: upstream.origin + path, format, singleAddress: true, credentials: 'none' } },
    settings: { LOG_LEVEL: 'silent' },
  });

async function place(gateway: RunningGateway, contentType: string, body: string, headers = {}, to = path) {
  const { secret } = await gateway.credentials.addCredential({
    tenant: 'acme',
    kind: 'apiKey',
    roles: ['order-service'],
    grants: {},
  });
  const response = await gateway.fetch(
    new Request(`http://gateway${to}`, {
      method: 'POST',
      headers: { 'X-API-Key': secret, 'Content-Type': contentType, ...headers },
      body,
    }),
  );
  return { status: response.status, text: await response.text() };
}

const json = (gateway: RunningGateway) =>
  place(gateway, 'application/json', '{"order":{"Number":"A-1"}}', {}, `${path}/v1/PlaceOrder`);

describe.each(['soap11', 'soap12'] as const)('an upstream in %s', (format) => {
  test('gets the action of the WSDL', async () => {
    const gateway = await gatewayOf(format);
    upstream.asked.length = 0;
    expect(await json(gateway)).toEqual({
      status: 200,
      text: '{"PlaceOrderResult":{"Status":"Accepted","Total":2.5}}',
    });
    expect(upstream.asked).toEqual(['A-1']);
    await gateway.close();
  });

  test.each([
    ['no action', ({ soapAction: _, ...each }: Operation): Operation => each],
    ['another action', (each: Operation): Operation => ({ ...each, soapAction: 'urn:other' })],
  ])('refuses %s (control)', async (_, change) => {
    const gateway = await gatewayOf(format, change);
    upstream.asked.length = 0;
    const { status, text } = await json(gateway);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toContain('did not recognize the value of HTTP Header SOAPAction');
    expect(upstream.asked).toEqual([]);
    await gateway.close();
  });
});

test('callers may send any action: the body names the operation', async () => {
  const gateway = await gatewayOf('soap11');
  const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><PlaceOrder xmlns="http://tempuri.example/"><order><Number>A-2</Number></order></PlaceOrder></e:Body></e:Envelope>`;
  for (const sent of [`"${action}"`, '""', `"${schemaAction}"`]) {
    const { status, text } = await place(gateway, 'text/xml', body, { SOAPAction: sent });
    expect([status, text]).toEqual([200, expect.stringContaining('<Status>Accepted</Status>')]);
  }
  const { text } = await place(gateway, 'text/xml', body);
  expect(text).toContain('<Status>Accepted</Status>');
  const response = await gateway.fetch(new Request(`http://gateway${path}/v1?wsdl`));
  expect((await response.text()).match(/soapAction="[^"]*"/g)).toEqual(
    [action, schemaAction, action, schemaAction].map((each) => `soapAction="${each}"`),
  );
  await gateway.close();
});
