/** JSON and FORM callers in front of SOAP servers of others: PHP's SoapServer and the server of the `soap` package. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtIn, createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { freePort } from '../support/listen-locally.ts';
import { ask, basic } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
const wsdl = join(folder.path, 'recurring.wsdl');
const servers = join(import.meta.dirname, '../interop/servers');
/** Newest: the gateway forwards to it. */
const servicePath = '/pal/servlet/Recurring/v68';

beforeAll(async () => {
  const gateway = await createGateway(builtIn());
  const response = await gateway.fetch(new Request(`http://gateway${servicePath}?wsdl`));
  writeFileSync(wsdl, await response.text());
  await gateway.close();
});
afterAll(() => folder.discard());

const foreign = [
  [
    "PHP's SoapServer, SOAP 1.1",
    'soap11',
    (port: number) => ['php', '-S', `127.0.0.1:${port}`, join(servers, 'server.php')],
  ],
  [
    "PHP's SoapServer, SOAP 1.2",
    'soap12',
    (port: number) => ['php', '-S', `127.0.0.1:${port}`, join(servers, 'server.php')],
  ],
  ['the `soap` package', 'soap11', () => [process.execPath, join(servers, 'soap-package.mjs')]],
] as const;

describe.each(foreign)('%s', (_, format, command) => {
  let child: ChildProcess;
  let gateway: RunningGateway;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    const [program = '', ...parameters] = command(port);
    const version = format === 'soap12' ? '1.2' : '1.1';
    const env = { ...process.env, WSDL: wsdl, PORT: String(port), SERVICE_PATH: servicePath, SOAP_VERSION: version };
    child = spawn(program, parameters, { env, stdio: 'ignore' });
    const upstream = `http://127.0.0.1:${port}`;
    await until('the SOAP server', async () => (await fetch(upstream)).status > 0);
    gateway = await createGateway({
      ...builtIn(),
      upstreams: { soap: { url: upstream, format, credentials: 'forward' } },
      answeredBy: { Recurring: 'soap' },
    });
    url = (await gateway.listen()).origin;
  });
  afterAll(async () => {
    await gateway.close();
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });

  const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
  const card = { number: '4111111111111111', expiryMonth: '08', expiryYear: '2031', holderName: 'Zoë <&> Ω' };

  test('a list, with its card, dates and maps', async () => {
    expect((await ask(url, 'listRecurringDetails', shopper)).answer).toEqual({
      creationDate: '2020-03-01T11:53:11+01:00',
      details: [
        {
          RecurringDetail: {
            additionalData: { 'a.b': 'ä & ö' },
            card: { expiryMonth: '08', expiryYear: '2031', holderName: card.holderName, number: '0011' },
            contractTypes: ['ONECLICK'],
            creationDate: '2020-03-01T11:53:11+01:00',
            firstPspReference: '8815252013129012',
            recurringDetailReference: '8313147988756818',
            variant: 'visa',
          },
        },
      ],
      shopperReference: 'shopper-1',
    });
  });

  test('an empty result', async () => {
    const unknown = { ...shopper, shopperReference: 'unknown' };
    expect(await ask(url, 'listRecurringDetails', unknown)).toEqual({ status: 200, answer: {} });
  });

  test('text with markup and outside of ASCII, and leading zeros, both ways', async () => {
    const { status, answer } = await ask(url, 'storeToken', { ...shopper, card, recurring: { contract: 'RECURRING' } });
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      recurringDetailReference: '0013147988756818',
      result: 'Success 4111111111111111 08 Zoë <&> Ω',
    });
  });

  test('a Fault', async () => {
    const { status, answer } = await ask(url, 'disable', shopper);
    expect(status).toBe(422);
    expect(answer).toMatchObject({ errorCode: '800', message: 'Contract not found', errorType: 'validation' });
  });

  test('a FORM caller', async () => {
    const response = await fetch(`${url}/pal/servlet/Recurring/v25/listRecurringDetails`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: basic('ws@Company.Demo', 'demo-password'),
      },
      body: new URLSearchParams(shopper).toString(),
    });
    const pairs = new URLSearchParams(await response.text());
    expect(pairs.get('details.0.card.holderName') ?? pairs.get('details.0.RecurringDetail.card.holderName')).toBe(
      card.holderName,
    );
  });
});
