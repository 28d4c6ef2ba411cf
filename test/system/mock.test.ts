/** `triglyph mock`: a WSDL or a configuration file is enough for a server that answers in every format, with state and faults. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { spawnTriglyph } from '../support/commands.ts';
import { ownDocument } from '../support/corpus.ts';
import { type Mock, startMock } from '../support/mock.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const client = (name: string) => join(import.meta.dirname, 'mock-clients', name);

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
  copyFileSync(join(root, 'examples/mock/orders.wsdl'), join(folder.path, 'orders.wsdl'));
});
afterAll(() => folder.discard());

const line = [{ Sku: 'A-1', Quantity: 2 }];

describe('of a WSDL', () => {
  let mock: Mock;
  beforeAll(async () => {
    mock = await startMock(folder.path, ['--wsdl', 'orders.wsdl']);
  });
  afterAll(() => mock.stop());
  beforeEach(async () => {
    await control('POST', 'reset');
  });

  const call = async (operation: string, input: object, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${mock.callers}/orders/v1/${operation}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(input),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as never };
  };
  const control = async (method: string, path: string, body?: object) => {
    const text = body && JSON.stringify(body);
    const response = await fetch(`${mock.admin}/_test/${path}`, { method, ...(text && { body: text }) });
    return (await response.json()) as { readonly calls?: readonly object[] };
  };

  test('says what it decided, and prints calls that work', async () => {
    const { stdout } = mock.received;
    expect(stdout).toContain(`  order: state, by orderId; an id that no caller has created is unknown
    create CreateOrder
    read   GetOrder
    update UpdateOrder
    delete DeleteOrder
    list   ListOrders
  examples: Quote`);
    for (const title of ['JSON', 'FORM', 'SOAP']) {
      const command = new RegExp(`^${title}:\n((?:  .*\n)+)`, 'm').exec(stdout)?.[1] ?? '';
      expect((await run('/bin/sh', ['-c', command])).stdout).toMatch(/SHIPPED|OPEN/);
    }
  });

  const program = { php: 'php', py: '/usr/bin/python3' } as const;
  test.each([
    ['php', 1],
    ['php', 2],
    ['py', 1],
    ['py', 2],
  ] as const)('a client of %s with stubs from the WSDL, in SOAP 1.%i', async (language, version) => {
    const wsdl = `${mock.callers}/orders/v1?wsdl`;
    const parameters = [client(`orders.${language}`), wsdl, String(version)];
    const { stdout } = await run(program[language], parameters, { env: { ...process.env, LC_ALL: 'C.UTF-8' } });
    expect(stdout).toBe(
      'read Zoë OPEN 2 no note\nupdated SHIPPED\nlisted left at the door\ndeleted true\ngone with its number\nexample 1\n',
    );
    const format = version === 1 ? 'soap11' : 'soap12';
    const { calls } = await control('GET', 'calls');
    expect(calls).toHaveLength(7);
    expect(calls).toContainEqual(expect.objectContaining({ operation: 'CreateOrder', format, outcome: 'ok' }));
  });

  test('what one format creates, the others read', async () => {
    const form = 'order.Customer=Anna&order.Line.0.Sku=A-1&order.Line.0.Quantity=2';
    const response = await fetch(`${mock.callers}/orders/v1/CreateOrder`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: form,
    });
    expect(await response.text()).toBe('CreateOrderResult=2');
    const { body } = await call('GetOrder', { orderId: 2 });
    expect(body).toEqual({ GetOrderResult: { OrderId: 2, Status: 'OPEN', Customer: 'Anna', Line: line } });
  });

  test('a retry with its Idempotency-Key creates nothing, and one without does', async () => {
    const order = { Customer: 'Anna', Line: line };
    const key = { 'Idempotency-Key': 'a-key-of-the-mock' };
    const first = await call('CreateOrder', { order }, key);
    const again = await call('CreateOrder', { order }, key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect((await call('ListOrders', { Customer: 'Anna' })).body).toMatchObject({ Order: [{ OrderId: 2 }] });
    expect((await call('CreateOrder', { order })).body).toEqual({ CreateOrderResult: 3 });
  });

  test('reset returns to the first example', async () => {
    await call('DeleteOrder', { orderId: 1 });
    expect((await call('ListOrders', {})).body).toEqual({ Order: [] });
    await control('POST', 'reset');
    expect((await call('ListOrders', {})).body).toMatchObject({ Order: [{ OrderId: 1 }] });
  });

  test('any credential will do, and none', async () => {
    const basic = { Authorization: `Basic ${Buffer.from('someone:secret').toString('base64')}` };
    const bearer = { Authorization: 'Bearer token' };
    for (const headers of [{}, basic, bearer, { 'X-API-Key': 'any' }])
      expect((await call('GetOrder', { orderId: 1 }, headers)).status).toBe(200);
  });

  test('a fault that the contract declares comes with its data, for the times that a test asks for', async () => {
    await control('POST', 'faults', { operation: 'GetOrder', answer: 'orderNotFound', times: 1 });
    const { body } = await call('GetOrder', { orderId: 1 });
    expect(body).toMatchObject({ fault: { OrderNotFound: { OrderId: 1, Reason: 'text' } } });
    expect((await call('GetOrder', { orderId: 1 })).status).toBe(200);
  });

  test('delays and the clock are those of the test API', async () => {
    await control('POST', 'faults', { operation: 'Quote', delayMs: 300 });
    const startedAt = performance.now();
    await call('Quote', { Sku: 'A' });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(295);
    const key = { 'Idempotency-Key': 'a-key-that-expires' };
    const order = { Customer: 'Anna', Line: line };
    await call('CreateOrder', { order }, key);
    await control('POST', 'clock', { advance: { days: 40 } });
    expect((await call('CreateOrder', { order }, key)).headers.get('Idempotent-Replayed')).toBeNull();
  });

  test('a request that the contract does not allow is refused as by a real server', async () => {
    expect(await call('GetOrder', { orderId: 'five' })).toMatchObject({ status: 400 });
    expect(await call('GetOrder', { number: 5 })).toMatchObject({ status: 400 });
  });
});

describe('with recorded answers', () => {
  let own: TempFolder;
  let mock: Mock | undefined;
  beforeEach(() => {
    own = tempFolder();
    mkdirSync(join(own.path, 'answers'), { recursive: true });
    copyFileSync(join(root, 'examples/mock/orders.wsdl'), join(own.path, 'orders.wsdl'));
  });
  afterEach(async () => {
    await mock?.stop();
    mock = undefined;
    own.discard();
  });

  const write = (name: string, content: unknown) =>
    writeFileSync(join(own.path, name), typeof content === 'string' ? content : JSON.stringify(content));
  const ask = async (operation: string, input: object) => {
    const response = await fetch(`${mock?.callers}/orders/v1/${operation}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(input),
    });
    return (await response.json()) as never;
  };

  test('of a folder: by operation and members, then the state; without resources there is none', async () => {
    write('answers/1-quotes.json', {
      answers: [
        { operation: 'Quote', when: { Sku: 'A-1' }, output: { Price: 12.5 } },
        { operation: 'Quote', output: { Price: '0.99' } },
      ],
      resources: {},
    });
    write('answers/2-orders.json', {
      answers: [
        {
          operation: 'GetOrder',
          when: { orderId: 7 },
          problem: 'orderNotFound',
          fault: { OrderId: 7, Reason: 'lost' },
        },
        { operation: 'CreateOrder', when: { order: { Line: [{ Sku: 'X' }] } }, output: { CreateOrderResult: 99 } },
      ],
    });
    write('answers/notes.txt', 'not read');
    mock = await startMock(own.path, ['--wsdl', 'orders.wsdl', '--answers', 'answers']);
    expect(mock.received.stdout).not.toContain('state, by');
    expect(await ask('Quote', { Sku: 'A-1' })).toEqual({ Price: 12.5 });
    expect(await ask('Quote', { Sku: 'A-2' })).toEqual({ Price: 0.99 });
    expect(await ask('GetOrder', { orderId: 7 })).toMatchObject({
      fault: { OrderNotFound: { OrderId: 7, Reason: 'lost' } },
    });
    expect(await ask('GetOrder', { orderId: 8 })).toMatchObject({ GetOrderResult: { OrderId: 1 } });
    const lineOf = (Sku: string) => ({ order: { Customer: 'A', Line: [{ Sku, Quantity: 1 }] } });
    expect(await ask('CreateOrder', lineOf('X'))).toEqual({ CreateOrderResult: 99 });
    expect(await ask('CreateOrder', lineOf('Y'))).toEqual({ CreateOrderResult: 1 });
  });

  test('what is wrong with them is said at the start, with the file', async () => {
    write('answers.json', { answers: [{ operation: 'Nothing', output: {} }] });
    const ended = await spawnTriglyph(['mock', '--wsdl', 'orders.wsdl', '--answers', 'answers.json'], own.path);
    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr: 'triglyph: answers.json: no service has the operation Nothing\n',
    });
  });

  test('resources are those that the file states, whatever the operations are called', async () => {
    write('answers.json', { resources: { receipt: { create: 'CreateOrder', read: 'GetOrder', id: 'orderId' } } });
    mock = await startMock(own.path, ['--wsdl', 'orders.wsdl', '--answers', 'answers.json']);
    expect(mock.received.stdout).toContain('receipt: state, by orderId');
    expect(mock.received.stdout).toContain('examples: UpdateOrder, DeleteOrder, ListOrders, Quote');
  });
});

test('of an OpenAPI document: at its paths in JSON, and by name in SOAP', async () => {
  const mock = await startMock(folder.path, ['--openapi', ownDocument('harbour.yaml')]);
  const send = async (method: string, path: string, body?: object) => {
    const sent = body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    const response = await fetch(`${mock.callers}/api/v3${path}`, { method, ...sent });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const boat = { name: 'Rex', pictures: ['x'], state: 'sold', home: { id: 3, name: 'Ostend' } };
  expect(await send('POST', '/boat', boat)).toEqual({ status: 200, body: { id: 3, ...boat } });
  expect(await send('GET', '/boat/inState?state=sold')).toEqual({ status: 200, body: [{ id: 3, ...boat }] });
  const replaced = { id: 3, name: 'Max', pictures: [] };
  expect(await send('PUT', '/boat', replaced)).toMatchObject({ status: 200, body: { id: 3, name: 'Max' } });
  const program = `$client = new SoapClient('${mock.callers}/Harbour/v1?wsdl', ['cache_wsdl' => WSDL_CACHE_NONE]);
    echo json_encode($client->getBoat(['boatId' => 3]));`;
  const { stdout } = await run('php', ['-r', program]);
  expect(stdout).toContain('"name":"Max"');
  expect(stdout).not.toContain('Ostend');
  expect((await send('DELETE', '/boat/3')).status).toBe(200);
  expect((await send('GET', '/boat/3')).status).toBe(404);
  await mock.stop();
});

test('of a configuration file: its services, without its stores', async () => {
  const own = tempFolder();
  mkdirSync(join(own.path, 'node_modules'), { recursive: true });
  symlinkSync(root, join(own.path, 'node_modules/triglyph'));
  writeFileSync(join(own.path, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(own.path, 'triglyph.config.ts'),
    `export { default } from '${join(root, 'test/system/mock-clients/project.ts')}';\n`,
  );
  const variables = { DATABASE_URL: 'postgres://127.0.0.1:1/none', REDIS_URL: 'redis://127.0.0.1:1' };
  const mock = await startMock(own.path, [], variables);
  const post = async (path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(mock.callers + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  const key = { shop: 'amsterdam', number: 'A-7' };
  expect(await post('/orders/v1/getOrder', key)).toMatchObject({ status: 422, body: { detail: 'Order not found' } });
  expect((await post('/orders/v1/placeOrder', { ...key, item: 'Bell', quantity: 3 })).status).toBe(200);
  expect(await post('/orders/v1/getOrder', key)).toEqual({ status: 200, body: { ...key, item: 'Bell', quantity: 3 } });
  expect((await post('/pal/servlet/Recurring/v25/disable', {})).status).toBe(404);
  await mock.stop();
  own.discard();
});

test('without a contract, and with a document that is none, it says so', async () => {
  const own = tempFolder();
  mkdirSync(own.path, { recursive: true });
  const nothing = await spawnTriglyph(['mock'], own.path);
  expect(nothing).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is nothing to mock: give --wsdl or --openapi'),
  });
  const missing = await spawnTriglyph(['mock', '--wsdl', 'none.wsdl'], own.path);
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('none.wsdl') });
  const open = await spawnTriglyph(['mock', '--wsdl', join(folder.path, 'orders.wsdl')], own.path, { HOST: '0.0.0.0' });
  expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining('HOST is 0.0.0.0') });
  own.discard();
});
