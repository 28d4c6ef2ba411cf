/** Calls the orders example, a service of a user, by third-party SOAP clients from its WSDL, and in JSON and FORM. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { orders } from '../../examples/orders/orders.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { problems } from '../support/problems.ts';

let gateway: RunningGateway;
let url: string;
let secret: string;
beforeAll(async () => {
  gateway = await createGateway({ services: [orders] });
  url = (await gateway.listen()).origin;
  const grants = { shop: ['amsterdam'] };
  secret = (await gateway.credentials.addCredential({ tenant: 'acme', kind: 'apiKey', roles: ['orders'], grants }))
    .secret;
});
afterAll(() => gateway.close());

const run = promisify(execFile);
const client = (path: string): string => join(import.meta.dirname, '../interop/clients', path);

/** The system's Python: zeep is a system package. */
const clients = [
  ['php', 'php', client('php/orders.php')],
  ['zeep', '/usr/bin/python3', client('zeep/orders.py')],
  ['soap', process.execPath, client('node-soap/orders.mjs')],
] as const;

test.each(clients)('%s', async (name, program, file) => {
  const { stdout } = await run(program, [file, `${url}/orders/v1`, secret, name.toUpperCase()], {
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    timeout: 120_000,
  });
  const printed = Object.fromEntries(stdout.split('\n').map((line) => line.split(/=(.*)/, 2)));
  expect(printed).toMatchObject({ placed: 'placed', again: 'placed', found: 'Zoë <&> Ω x 3' });
  expect(printed.missing).toContain('validation 1002 Order not found');
  expect(printed.foreign).toContain('security 1001 Shop not allowed');
  expect(printed['other body']).toContain(problems.keyReused.code);
  // What one client has placed, callers of the other formats read.
  const key = { shop: 'amsterdam', number: name.toUpperCase() };
  expect(await (await post('application/json', JSON.stringify(key))).json()).toEqual({
    ...key,
    item: 'Zoë <&> Ω',
    quantity: 3,
  });
  const pairs = await post('application/x-www-form-urlencoded', new URLSearchParams(key).toString());
  expect(Object.fromEntries(new URLSearchParams(await pairs.text()))).toEqual({
    ...key,
    item: 'Zoë <&> Ω',
    quantity: '3',
  });
});

function post(contentType: string, body: string): Promise<Response> {
  const headers = { 'content-type': contentType, 'x-api-key': secret };
  return fetch(`${url}/orders/v1/getOrder`, { method: 'POST', headers, body });
}
