/** Tests fields that have another name in JSON: in messages, in the coordinates of issues and in documents. */
import { expect, test } from '@jest/globals';
import { createConverter } from '../../src/convert/convert.ts';
import { operation } from '../../src/core/contract/operation.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import { integer, list, object, optional, required, string } from '../../src/core/contract/schema.ts';
import { service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { deriveJsonSchema } from '../../src/documents/json-schema.ts';
import { row } from '../../src/documents/markdown.ts';
import { decode } from '../support/exchange.ts';

const quantity = required(integer(1, 9, 1), 'How many.', { json: 'quantity' });
const line = object('Line', { Quantity: quantity, Text: optional(string({ example: 'x' }), 'What.') });
const input = object(
  'Order',
  {
    OrderNumber: required(string({ max: 9, example: 'A-1' }), 'The number.', { json: 'order_number' }),
    Lines: optional(list(line, 'Line', { max: 3 }), 'The lines.', { json: 'lines' }),
  },
  {
    choices: [
      { options: [['OrderNumber'], ['Lines']], exclusive: false, problem: 'missingField', doc: 'One of them.' },
    ],
  },
);
const place = operation({ name: 'place', doc: 'x', effect: 'writes', role: 'r', problems: [], input, output: input });
const bound = operation({ ...place, name: 'put', http: { method: 'POST', path: '/orders' } });
const names = { version: 1, answers: { from: 1, to: 1 }, doc: 'x', roles: ['r'], errorMap: 'errors' };
const orders = service({
  ...names,
  name: 'Orders',
  address: '/orders',
  namespaces: { own: 'o', uris: { o: 'urn:o' } },
  operations: [place],
});
const resources = service({ ...names, name: 'Resources', address: '/resources', operations: [bound] });
const protocols = createProtocols([orders, resources]);
const routes = compileRoutes([orders, resources]);

const value = { OrderNumber: 'A-1', Lines: [{ Quantity: 2, Text: 'x' }] };
const json = '{"order_number":"A-1","lines":[{"quantity":2,"Text":"x"}]}';

test('JSON has the other names, and SOAP and FORM those of the fields', () => {
  const bodyIn = (name: 'json' | 'form' | 'soap11') => protocols[name].encodeRequest(orders, place, value).body;
  expect(bodyIn('json')).toBe(json);
  expect(bodyIn('form')).toBe('OrderNumber=A-1&Lines.0.Quantity=2&Lines.0.Text=x');
  expect(bodyIn('soap11')).toContain('<OrderNumber>A-1</OrderNumber><Lines><Line><Quantity>2</Quantity>');
  const call = { path: '/orders/v1/place', contentType: 'application/json', body: json };
  expect(decode(protocols, 'json', call, routes)).toMatchObject({ input: value, issues: [] });
  expect(protocols.json.decodeResponse(place, json)).toEqual({ value, issues: [] });
});

test('the name of the field is unknown in JSON', () => {
  const call = { path: '/orders/v1/place', contentType: 'application/json', body: '{"OrderNumber":"A-1"}' };
  expect(decode(protocols, 'json', call, routes).issues.map(({ kind }) => kind.name)).toContain('unknownField');
});

test('a refusal names an unknown member as its caller wrote it', () => {
  const sent = '{"OrderNumber":"A-1","lines":[{"Quantity":2}]}';
  const context = { requestReference: 'R', operation: place, service: orders };
  const call = { path: '/orders/v1/place', contentType: 'application/json', body: sent };
  const { issues } = decode(protocols, 'json', call, routes);
  const { invalidFields } = JSON.parse(protocols.json.encodeError(Problem.of(issues), context).body);
  expect(invalidFields.map(({ name }: { name: string }) => name)).toEqual([
    '/OrderNumber',
    '/lines/0/Quantity',
    '/order_number',
    '/lines/0/quantity',
  ]);
  const restCall = { ...call, path: '/resources/v1/orders' };
  const restIssues = decode(protocols, 'rest', restCall, routes).issues;
  const inRest = JSON.parse(
    protocols.rest.encodeError(Problem.of(restIssues), { ...context, operation: bound, service: resources }).body,
  );
  expect(inRest.invalidFields).toContainEqual({ name: 'OrderNumber', message: expect.any(String), value: '' });
  expect(createConverter([orders])({ message: sent, from: 'json', to: [], operation: 'place' }).issues).toContainEqual(
    expect.objectContaining({ at: '/OrderNumber' }),
  );
});

test('issues name the members as their caller knows them', () => {
  const body = '{"order_number":"A-1","lines":[{"quantity":10,"Text":"x"},{"Text":"x"}]}';
  const { issues } = decode(
    protocols,
    'json',
    { path: '/orders/v1/place', contentType: 'application/json', body },
    routes,
  );
  const problem = Problem.of(issues);
  const context = { requestReference: 'R', operation: place, service: orders };
  const inJson = JSON.parse(protocols.json.encodeError(problem, context).body);
  expect(inJson.invalidFields.map(({ name }: { name: string }) => name)).toEqual([
    '/lines/0/quantity',
    '/lines/1/quantity',
  ]);
  expect(Object.keys(inJson.errors)).toEqual(['lines.0.quantity', 'lines.1.quantity']);
  expect(protocols.form.encodeError(problem, context).body).toContain('invalidFields.0.name=Lines.0.Quantity');
  expect(protocols.soap11.encodeError(problem, context).body).toContain('/Lines/Line[2]/Quantity');
});

test('problem details name the members of the body and repeat their values', () => {
  const call = { path: '/resources/v1/orders', contentType: 'application/json', body: '{"order_number":"0123456789"}' };
  const { issues } = decode(protocols, 'rest', call, routes);
  const context = { requestReference: 'R', operation: bound, service: resources };
  const { invalidFields } = JSON.parse(protocols.rest.encodeError(Problem.of(issues), context).body);
  expect(invalidFields).toEqual([{ name: 'order_number', message: expect.any(String), value: '' }]);
  const short = { ...call, body: '{"order_number":"A-1","lines":[{"quantity":77}]}' };
  const [issue] = decode(protocols, 'rest', short, routes).issues;
  expect(issue).toMatchObject({ path: ['Lines', { index: 0 }, 'Quantity'], value: '77' });
});

test('documents have the names of JSON', () => {
  const schema = deriveJsonSchema(input, 'input');
  expect(Object.keys(schema.properties as object)).toEqual(['order_number', 'lines']);
  expect(schema).toMatchObject({
    required: ['order_number'],
    allOf: [{ anyOf: [{ required: ['order_number'] }, { required: ['lines'] }] }],
  });
  expect(row(['Quantity', quantity]).at(-1)).toBe('How many. 1 to 9. `quantity` in JSON.');
});

test('two members of one name are refused', () => {
  const again = optional(string({ example: 'x' }), 'x', { json: 'order_number' });
  expect(() => object('Order', { ...input.fields, Other: again })).toThrow(
    'two fields are called order_number in JSON',
  );
});
