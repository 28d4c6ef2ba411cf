/** Calls a wrapped service with attributes, decimals, dates and binary values by third-party SOAP clients from its WSDL. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { implementWrappedInvoices } from '../support/invoices.ts';
import { serviceOf } from '../support/services.ts';

const run = promisify(execFile);
const client = (name: string) => join(import.meta.dirname, 'wrapped-clients', name);

const clients: Readonly<Record<string, readonly string[]>> = {
  php: ['php', client('client.php')],
  // The system's interpreter: zeep is a system package.
  zeep: ['/usr/bin/python3', client('client.py')],
  soap: [process.execPath, client('client.mjs')],
};

let gateway: RunningGateway;
let url: string;
let secret: string;
beforeAll(async () => {
  gateway = await createGateway({ services: [serviceOf(implementWrappedInvoices())] });
  const roles = ['invoices'];
  ({ secret } = await gateway.credentials.addCredential({ tenant: 'acme', kind: 'apiKey', roles, grants: {} }));
  url = (await gateway.listen()).origin;
});
afterAll(() => gateway.close());

describe.each(Object.entries(clients))('%s', (_, [program, ...parameters]) => {
  test.each(['1.1', '1.2'])('SOAP %s', async (version) => {
    const { stdout } = await run(program!, [...parameters, `${url}/wrapped/v1?wsdl`, secret, version]);
    expect(JSON.parse(stdout)).toEqual({
      number: 'I-1',
      issued: '2026-02-28',
      currency: 'EUR',
      value: '12345678.9',
      scan: '0001ff',
      sku: 'a "b"',
    });
  });
});
