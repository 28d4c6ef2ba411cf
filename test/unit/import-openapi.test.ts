/** What an OpenAPI document says, and what requests, answers, faults and types become of it. */
import { Buffer } from 'node:buffer';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { placeCredentials } from '../../src/core/contract/credential-place.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Field, Schema } from '../../src/core/contract/schema.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { StubNames } from '../../src/documents/unique-names.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { type ImportedOpenApi, importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
});
afterAll(() => folder.discard());

type Document = Readonly<Record<string, unknown>>;

async function imported(parts: Document, files: Readonly<Record<string, Document>> = {}): Promise<ImportedOpenApi> {
  const document = { openapi: '3.0.3', info: { title: 'Things', version: '1' }, servers: [{ url: '/api' }], ...parts };
  const file = join(folder.path, 'things.json');
  writeFileSync(file, typeof parts.text === 'string' ? parts.text : JSON.stringify(document));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder.path, name), JSON.stringify(content));
  return await importOpenApi(file, { allowNetwork: false });
}

const ok = { responses: { 200: { description: 'OK' } } };
const answering = (schema: unknown, type = 'application/json') => ({
  responses: { 200: { description: 'OK', content: { [type]: { schema } } } },
});
const receiving = (schema: unknown, type = 'application/json', more = {}) => ({
  ...ok,
  requestBody: { required: true, content: { [type]: { schema, ...more } } },
});

const operationOf = ({ service }: ImportedOpenApi, name: string): Operation => {
  const found = service.operations.get(name);
  if (found === undefined) throw new Error(`no ${name} in ${[...service.operations.keys()].join()}`);
  return found;
};

const schemaOf = (of: ImportedOpenApi, name: string, field: string, side: 'input' | 'output' = 'input'): Schema => {
  const found: Field | undefined = operationOf(of, name)[side].fields[field];
  if (found === undefined) throw new Error(`no ${field} in ${Object.keys(operationOf(of, name)[side].fields).join()}`);
  return found.schema;
};

/** The request to the server for what a caller sends in FORM. */
function requestFor(of: ImportedOpenApi, name: string, pairs: string) {
  const { service } = of;
  const operation = operationOf(of, name);
  const protocols = createProtocols([service]);
  const target = { service, version: 1, operation };
  const media = { type: 'application/x-www-form-urlencoded', charset: undefined };
  const { input, issues } = protocols.form.decode(Buffer.from(pairs), media, target, { query: '', headers: {} });
  expect(issues).toEqual([]);
  return protocols.rest.encodeRequest(service, operation, input);
}

/** What a request at the path of the operation is read as. */
function readAt(
  of: ImportedOpenApi,
  method: string,
  path: string,
  query = '',
  headers = {},
  body = '',
  type = 'application/json',
) {
  const protocols = createProtocols([of.service]);
  const target = compileRoutes([of.service]).find(path).target(method);
  const media = { type, charset: undefined };
  return protocols.rest.decode(Buffer.from(body, 'latin1'), media, target, { query, headers });
}

test('names that are taken already count as generators read them', () => {
  const names = new StubNames(['pet_id']);
  expect([names.take('petId'), names.take('PETID'), names.take('name')]).toEqual(['petId2', 'PETID3', 'name']);
});

describe('parameters', () => {
  const list = { type: 'array', items: { type: 'string' } };
  const object = { type: 'object', properties: { r: { type: 'integer' }, g: { type: 'string' } } };
  const value = { list: ['a b', 'c'], object: { r: '1', g: 'x&y' } };
  const pairs = 'p.0=a b&p.1=c';
  const members = 'p.r=1&p.g=x%26y';

  test.each([
    ['query', 'form', true, '?p=a%20b&p=c', '?r=1&g=x%26y'],
    ['query', 'form', false, '?p=a%20b%2Cc', '?p=r%2C1%2Cg%2Cx%26y'],
    ['query', 'spaceDelimited', false, '?p=a%20b%20c', undefined],
    ['query', 'pipeDelimited', false, '?p=a%20b%7Cc', undefined],
    ['query', 'deepObject', true, undefined, '?p%5Br%5D=1&p%5Bg%5D=x%26y'],
    ['path', 'simple', false, '/a%20b,c', '/r,1,g,x%26y'],
    ['path', 'simple', true, '/a%20b,c', '/r=1,g=x%26y'],
    ['path', 'label', true, '/.a%20b.c', '/.r=1.g=x%26y'],
    ['path', 'matrix', true, '/;p=a%20b;p=c', '/;r=1;g=x%26y'],
    ['path', 'matrix', false, '/;p=a%20b,c', '/;p=r,1,g,x%26y'],
    ['header', 'simple', false, 'a b,c', 'r,1,g,x&y'],
    ['cookie', 'form', false, 'p=a%20b%2Cc', 'p=r%2C1%2Cg%2Cx%26y'],
  ] as const)('in %s, %s, explode %s', async (location, style, explode, ofList, ofObject) => {
    for (const [schema, expected, sent, name] of [
      [list, ofList, pairs, 'list'],
      [object, ofObject, members, 'object'],
    ] as const) {
      if (expected === undefined) continue;
      const path = location === 'path' ? '/x/{p}' : '/x';
      const parameter = { name: 'p', in: location, style, explode, required: location === 'path', schema };
      const of = await imported({ paths: { [path]: { get: { operationId: 'op', parameters: [parameter], ...ok } } } });
      const request = requestFor(of, 'op', sent);
      const seen =
        location === 'header'
          ? request.headers?.p
          : location === 'cookie'
            ? request.headers?.cookie
            : request.path.slice(2);
      expect(seen).toBe(expected);
      // The gateway reads at its own path what it writes, but that an item has a space.
      if (style === 'spaceDelimited') continue;
      const [written = '', query = ''] = request.path.split('?');
      const { input, issues } = readAt(of, 'GET', `/api${written}`, query, { ...request.headers });
      expect({ issues, input }).toEqual({ issues: [], input: { p: value[name] } });
    }
  });

  test('have names of their own, and those of members are others', async () => {
    const body = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        'pet-name': { type: 'string' },
        '2x': { type: 'string' },
        __proto__x: { type: 'string' },
      },
    };
    const parameters = [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
      { name: 'Host', in: 'header', schema: { type: 'string' } },
      { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } },
    ];
    const of = await imported({ paths: { '/x/{id}': { put: { operationId: 'op', parameters, ...receiving(body) } } } });
    const request = requestFor(of, 'op', 'idInPath=a/b&XTrace=t&id=5&petName=Rex&_2x=z');
    expect(request).toMatchObject({ method: 'PUT', path: '/x/a%2Fb', headers: { 'x-trace': 't' } });
    expect(JSON.parse(request.body)).toEqual({ id: 5, 'pet-name': 'Rex', '2x': 'z' });
    expect(of.findings.filter(({ kind }) => kind === 'refused').map(({ text }) => text)).toEqual([
      'the gateway sends the header Host itself; the parameter is left out',
    ]);
    const dots = () => requestFor(of, 'op', 'idInPath=..&id=5');
    expect(dots).toThrow('idInPath');
  });

  test('an operation without operationId is named by its method and path', async () => {
    const of = await imported({ paths: { '/pets/{pet-id}/toys': { get: ok, post: ok }, '/': { get: ok } } });
    expect([...of.service.operations.keys()]).toEqual(['getPetsPetIdToys', 'postPetsPetIdToys', 'get']);
    expect(requestFor(of, 'getPetsPetIdToys', 'petId=7').path).toBe('/pets/7/toys');
  });
});

describe('bodies', () => {
  test('forms have styles, and multipart has files', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        more: { type: 'object', properties: { a: { type: 'integer' } } },
        file: { type: 'string', format: 'binary' },
      },
    };
    const encoding = { encoding: { more: { style: 'deepObject', explode: true } } };
    const of = await imported({
      paths: {
        '/form': { post: { operationId: 'form', ...receiving(schema, 'application/x-www-form-urlencoded', encoding) } },
        '/parts': { post: { operationId: 'parts', ...receiving(schema, 'multipart/form-data') } },
      },
    });
    const pairs = 'name=a%26b&tags.0=x&tags.1=y&more.a=1';
    expect(requestFor(of, 'form', pairs)).toMatchObject({
      contentType: 'application/x-www-form-urlencoded',
      body: 'name=a%26b&tags=x&tags=y&more%5Ba%5D=1',
    });
    const { contentType, bytes } = requestFor(of, 'parts', `${pairs}&file=AAH%2F`);
    const parsed = await new Response(Uint8Array.from(bytes ?? []), {
      headers: { 'Content-Type': contentType },
    }).formData();
    expect([parsed.get('name'), parsed.getAll('tags'), parsed.get('more')]).toEqual(['a&b', ['x', 'y'], '{"a":1}']);
    const file = parsed.get('file') as File;
    expect([...new Uint8Array(await file.arrayBuffer())]).toEqual([0, 1, 255]);
    const again = readAt(
      of,
      'POST',
      '/api/parts',
      '',
      { 'content-type': contentType },
      (bytes ?? Buffer.alloc(0)).toString('latin1'),
      'multipart/form-data',
    );
    expect(again).toMatchObject({ issues: [], input: { name: 'a&b', tags: ['x', 'y'], file: 'AAH/' } });
    const form = readAt(
      of,
      'POST',
      '/api/form',
      '',
      {},
      'name=a%26b&tags=x&tags=y&more%5Ba%5D=1',
      'application/x-www-form-urlencoded',
    );
    expect(form).toMatchObject({ issues: [], input: { name: 'a&b', tags: ['x', 'y'], more: { a: '1' } } });
  });

  test('an empty text and an empty file reach the service, also where they must be there', async () => {
    const schema = {
      type: 'object',
      required: ['reason', 'file'],
      properties: {
        reason: { type: 'string' },
        note: { type: 'string' },
        file: { type: 'string', format: 'binary' },
      },
    };
    const of = await imported({
      paths: {
        '/json': { post: { operationId: 'json', ...receiving(schema) } },
        '/parts': { post: { operationId: 'parts', ...receiving(schema, 'multipart/form-data') } },
      },
    });
    expect(requestFor(of, 'json', 'reason=&note=&file=').body).toBe('{"reason":"","note":"","file":""}');
    expect(requestFor(of, 'json', 'note=x').body).toBe('{"note":"x"}');
    const { contentType, bytes } = requestFor(of, 'parts', 'reason=&file=');
    const parsed = await new Response(Uint8Array.from(bytes ?? []), {
      headers: { 'Content-Type': contentType },
    }).formData();
    expect([parsed.get('reason'), (parsed.get('file') as File).size]).toEqual(['', 0]);
  });

  test('what is empty is in JSON, and absent where the service gets no JSON', async () => {
    const filter = { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } };
    const schema = {
      type: 'object',
      required: ['rows'],
      properties: { rows: { type: 'array', items: { type: 'integer' } }, filter },
    };
    const inQuery = (name: string, more = {}) => ({ name, in: 'query', schema: filter, ...more });
    const of = await imported({
      paths: {
        '/json': { post: { operationId: 'json', ...receiving(schema) } },
        '/form': { post: { operationId: 'form', ...receiving(schema, 'application/x-www-form-urlencoded') } },
        '/parts': { post: { operationId: 'parts', ...receiving(schema, 'multipart/form-data') } },
        '/query': {
          get: {
            operationId: 'query',
            parameters: [
              inQuery('a'),
              inQuery('b', { style: 'deepObject' }),
              { ...inQuery('c'), schema: schema.properties.rows },
            ],
            ...ok,
          },
        },
        '/path/{p}': {
          get: { operationId: 'path', parameters: [{ name: 'p', in: 'path', required: true, schema: filter }], ...ok },
        },
      },
    });
    expect(requestFor(of, 'json', 'rows=&filter.tags=').body).toBe('{"rows":[],"filter":{"tags":[]}}');
    expect(requestFor(of, 'json', 'filter.tags=').body).toBe('{"filter":{"tags":[]}}');
    expect(requestFor(of, 'form', 'rows=&filter.tags=').body).toBe('');
    const inParts = String(requestFor(of, 'parts', 'rows=&filter.tags=').bytes);
    expect([inParts.includes('"rows"'), inParts.includes('{"tags":[]}')]).toEqual([false, true]);
    expect(requestFor(of, 'query', 'a.tags=&b=&c=').path).toBe('/query');
    // The path would be another one.
    expect(() => requestFor(of, 'path', 'p=')).toThrow('p');
  });

  test('an array, a text, bytes and any value are one field', async () => {
    const of = await imported({
      paths: {
        '/list': { post: { operationId: 'list', ...receiving({ type: 'array', items: { type: 'integer' } }) } },
        '/text': { post: { operationId: 'text', ...receiving({ type: 'string' }, 'text/plain') } },
        '/bytes': { post: { operationId: 'bytes', ...receiving({ type: 'string', format: 'binary' }, 'image/png') } },
        '/any': { post: { operationId: 'any', ...receiving({}) } },
      },
    });
    expect(requestFor(of, 'list', 'body.0=1&body.1=2').body).toBe('[1,2]');
    expect(requestFor(of, 'text', 'body=a b')).toMatchObject({ contentType: 'text/plain', body: 'a b' });
    expect([...(requestFor(of, 'bytes', 'body=AAH%2F').bytes ?? [])]).toEqual([0, 1, 255]);
    for (const [text, json] of [
      ['{"a":[1.50,null]}', '{"a":[1.50,null]}'],
      ['7', '7'],
      ['"7"', '"7"'],
      ['abc', '"abc"'],
      ['{broken', '"{broken"'],
    ])
      expect(requestFor(of, 'any', `body=${encodeURIComponent(text ?? '')}`).body).toBe(json);
  });
});

describe('schemas', () => {
  const paths = (schema: unknown) => ({
    '/x': { get: { operationId: 'op', ...answering({ type: 'object', properties: { v: schema } }) } },
  });
  const of = async (schema: unknown, more: Document = {}) =>
    schemaOf(await imported({ paths: paths(schema), ...more }), 'op', 'v', 'output');

  test.each([
    [
      { type: 'string', enum: ['a', 'b'] },
      { kind: 'enum', values: ['a', 'b'] },
    ],
    [{ type: 'string', enum: [' a', 'b'] }, { kind: 'string' }],
    [{ type: ['string', 'null'] }, { kind: 'string' }],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, { kind: 'decimal', fraction: 0, json: 'number' }],
    [
      { type: 'integer', format: 'uint64' },
      { kind: 'decimal', max: '18446744073709551615' },
    ],
    [
      { type: 'integer', format: 'int32' },
      { kind: 'integer', max: 2 ** 31 - 1 },
    ],
    [{ type: 'number' }, { kind: 'double' }],
    [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, { kind: 'double' }],
    [{ oneOf: [{ type: 'integer' }, { type: 'string' }] }, { kind: 'string', json: 'value' }],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { kind: 'map' }],
    [
      { type: 'object', additionalProperties: { type: 'integer' } },
      { kind: 'list', itemName: 'entry', item: { json: 'entry', fields: { value: { schema: { kind: 'decimal' } } } } },
    ],
    [
      { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
      { kind: 'list', item: { json: 'value', fields: { item: { schema: { kind: 'list' } } } } },
    ],
    [{ type: 'string', format: 'byte' }, { kind: 'binary' }],
    [
      { type: 'string', format: 'password' },
      { kind: 'string', sensitive: true },
    ],
    [{ const: 'x' }, { kind: 'enum', values: ['x'] }],
    [true, { kind: 'string', json: 'value' }],
  ])('%j', async (schema, expected) => {
    expect(await of(schema)).toMatchObject(expected);
  });

  const components = {
    components: {
      schemas: {
        Base: {
          type: 'object',
          required: ['kind'],
          properties: { kind: { type: 'string' } },
          discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat', dog: 'Dog' } },
        },
        Cat: {
          allOf: [
            { $ref: '#/components/schemas/Base' },
            { type: 'object', properties: { lives: { type: 'integer' } } },
          ],
        },
        Dog: {
          allOf: [
            { $ref: '#/components/schemas/Base' },
            {
              type: 'object',
              properties: { lives: { type: 'string' }, tricks: { type: 'array', items: { type: 'string' } } },
            },
          ],
        },
        Tree: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
          },
        },
        A: { type: 'object', properties: { a: { type: 'string' }, b: { $ref: '#/components/schemas/B' } } },
        B: { type: 'object', properties: { a: { $ref: '#/components/schemas/A' } } },
      },
    },
  };
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

  test('types that extend others, and alternatives, have all members', async () => {
    expect(Object.keys(Object(await of(ref('Cat'), components)).fields)).toEqual(['kind', 'lives']);
    expect(Object.keys(Object(await of(ref('Base'), components)).fields)).toEqual(['kind', 'lives', 'tricks']);
    const union = await of({ oneOf: [ref('Cat'), ref('Dog')] }, components);
    expect(union).toMatchObject({
      kind: 'object',
      fields: { lives: { schema: { json: 'value' } }, tricks: { required: false } },
    });
  });

  test('a type holds itself, also in others', async () => {
    const tree = await of(ref('Tree'), components);
    expect(tree).toMatchObject({ kind: 'object', name: 'Tree', recursion: { levels: 32 } });
    const a = await of(ref('A'), components);
    expect(a).toMatchObject({ name: 'A', recursion: { levels: 32 } });
    expect(Object(a).fields.b.schema.fields.a.schema).toBe(a);
  });
});

test('a reference that may be null is the type that it names', async () => {
  const or = (name: string) => [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }];
  const pet = {
    type: 'object',
    properties: {
      owner: { anyOf: or('Person'), description: 'Who has it.' },
      vet: { oneOf: or('Person'), title: 'Vet', 'x-order': 1 },
      breeder: { allOf: or('Person').slice(0, 1), nullable: true },
      mother: { anyOf: or('Pet') },
      father: { $ref: '#/components/schemas/Pet' },
      mood: { anyOf: or('Mood') },
      // What adds to a type is another one.
      other: { allOf: or('Person').slice(0, 1), properties: { since: { type: 'integer' } } },
      loop: { anyOf: or('Loop') },
    },
  };
  const person = { type: 'object', properties: { name: { type: 'string' } } };
  const of = await imported({
    openapi: '3.1.0',
    paths: { '/pet': { get: { operationId: 'pet', ...answering({ $ref: '#/components/schemas/Pet' }) } } },
    components: {
      schemas: {
        Pet: pet,
        Person: person,
        Mood: { type: 'string', enum: ['glad', 'sad'] },
        Loop: { anyOf: or('Loop') },
      },
    },
  });
  const nameOf = (field: string) => {
    const schema = schemaOf(of, 'pet', field, 'output');
    return 'name' in schema ? schema.name : schema.kind;
  };
  expect(['owner', 'vet', 'breeder', 'mood', 'other'].map(nameOf)).toEqual([
    'Person',
    'Person',
    'Person',
    'Mood',
    'PetOther',
  ]);
  expect(schemaOf(of, 'pet', 'mother', 'output')).toBe(schemaOf(of, 'pet', 'father', 'output'));
  expect(operationOf(of, 'pet').output.fields.owner?.doc).toBe('Who has it.');
});

test('error responses are faults with data, by status', async () => {
  const problem = { type: 'object', properties: { title: { type: 'string' }, code: { type: 'integer' } } };
  const content = (name: string) => ({
    description: '',
    content: { 'application/problem+json': { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const responses = {
    204: { description: '' },
    404: content('Missing'),
    '4XX': content('Problem'),
    default: content('Problem'),
  };
  const of = await imported({
    paths: { '/x': { delete: { operationId: 'op', responses } } },
    components: { schemas: { Problem: problem, Missing: problem } },
  });
  const operation = operationOf(of, 'op');
  expect(operation.faults?.map(({ element }) => element)).toEqual(['MissingFault', 'ProblemFault']);
  const { rest } = createProtocols([of.service]);
  const reply = (status: number) => ({
    status,
    media: { type: 'application/problem+json', charset: undefined },
    headers: {},
    body: Buffer.from('{"title":"Gone","code":7}'),
  });
  for (const [status, name] of [
    [404, 'missingFault'],
    [409, 'problemFault'],
    [500, 'problemFault'],
  ] as const)
    expect(rest.decodeError(reply(status), operation)).toMatchObject({
      status,
      message: 'Gone',
      fault: { problem: { name }, value: { title: 'Gone', code: '7' } },
    });
  expect(
    rest.decodeError(
      { ...reply(404), body: Buffer.from('no JSON'), media: { type: 'text/plain', charset: undefined } },
      operation,
    ),
  ).toMatchObject({ message: 'no JSON' });
});

test('answers in text and in bytes, and their headers, are fields', async () => {
  const headers = { 'X-Rate-Limit': { description: 'The limit.', schema: { type: 'integer' } } };
  const of = await imported({
    paths: {
      '/text': {
        get: {
          operationId: 'text',
          responses: { 200: { ...answering({ type: 'string' }, 'text/csv').responses[200], headers } },
        },
      },
      '/bytes': {
        get: { operationId: 'bytes', ...answering({ type: 'string', format: 'binary' }, 'application/pdf') },
      },
      '/both': {
        get: {
          operationId: 'both',
          responses: {
            200: answering({ type: 'object', properties: { a: { type: 'string' } } }).responses[200],
            202: answering({ type: 'object', properties: { job: { type: 'string' } } }).responses[200],
          },
        },
      },
    },
  });
  const { rest } = createProtocols([of.service]);
  const read = (name: string, type: string, body: Buffer, more = {}) =>
    rest.decodeAnswer(operationOf(of, name), { status: 200, media: { type, charset: undefined }, headers: more, body });
  expect(read('text', 'text/csv', Buffer.from('a,b'), { 'x-rate-limit': '5' })).toMatchObject({
    value: { result: 'a,b', XRateLimit: '5' },
  });
  expect(read('bytes', 'application/pdf', Buffer.from([0, 1, 255]))).toMatchObject({ value: { result: 'AAH/' } });
  expect(read('both', 'application/json', Buffer.from('{"job":"1"}'))).toMatchObject({ value: { job: '1' } });
});

test('headers of framing, of one connection and for proxies are no fields, and the report says so', async () => {
  const left = [
    'Transfer-Encoding',
    'Content-Length',
    'Connection',
    'Keep-Alive',
    'X-Accel-Redirect',
    'X-Envoy-Retry-On',
  ];
  const headers = Object.fromEntries([...left, 'Content-Type', 'X-Kept'].map((name) => [name, {}]));
  const responses = { 200: { description: '', headers } };
  const parameters = ['Transfer-Encoding', 'Upgrade', 'X-Kept'].map((name) => ({ name, in: 'header' }));
  const of = await imported({ paths: { '/x': { get: { operationId: 'x', parameters, responses } } } });
  const { upstream, input } = operationOf(of, 'x');
  expect([upstream?.answer?.headers, Object.keys(input.fields)]).toEqual([{ XKept: 'X-Kept' }, ['XKept']]);
  expect(of.findings.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    ...['Transfer-Encoding', 'Upgrade'].map(
      (name) => `refused: the gateway sends the header ${name} itself; the parameter is left out`,
    ),
    ...left.map((name) => `refused: the header ${name} of an answer is not for callers; it is left out`),
  ]);
});

test('Swagger 2.0 is read, with forms, files, collections and references across files', async () => {
  const of = await imported(
    {
      openapi: undefined,
      swagger: '2.0',
      host: 'api.example',
      basePath: '/v1',
      schemes: ['https'],
      paths: {
        '/pets': { $ref: 'pets.json#/path' },
        '/upload': {
          post: {
            operationId: 'upload',
            consumes: ['multipart/form-data'],
            parameters: [
              { name: 'photo', in: 'formData', type: 'file' },
              { name: 'note', in: 'formData', type: 'string' },
            ],
            responses: { 200: { description: '' } },
          },
        },
      },
    },
    {
      'pets.json': {
        path: {
          get: {
            operationId: 'find',
            parameters: [
              { name: 'tags', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'pipes' },
            ],
            responses: { 200: { description: '', schema: { type: 'array', items: { $ref: '#/definitions/Pet' } } } },
          },
        },
        definitions: { Pet: { type: 'object', properties: { id: { type: 'integer' } } } },
      },
    },
  );
  expect([of.location, of.service.paths]).toEqual(['https://api.example/v1', '/v1']);
  expect(requestFor(of, 'find', 'tags.0=a&tags.1=b').path).toBe('/pets?tags=a%7Cb');
  expect(schemaOf(of, 'find', 'result', 'output')).toMatchObject({ kind: 'list', item: { name: 'Pet' } });
  expect(requestFor(of, 'upload', 'photo=AAEC&note=x').contentType).toContain('multipart/form-data');
});

describe('credentials', () => {
  const places = [{ in: 'query', name: 'key' }, { in: 'header', name: 'X-Token' }, { in: 'bearer' }] as const;
  const basic = `Basic ${Buffer.from('user:pass:word').toString('base64')}`;
  test('are passed on where they stand', () => {
    const request = { headers: { 'x-token': 't', authorization: 'Bearer b' }, query: 'key=k&x=1' };
    expect(placeCredentials(places, false, request)).toEqual({
      headers: { 'x-token': 't', authorization: 'Bearer b' },
      query: [['key', 'k']],
    });
  });
  test('are made of X-API-Key, or of the password of HTTP Basic, unless the server takes that', () => {
    const all = {
      headers: { 'x-token': 'pass:word', authorization: 'Bearer pass:word' },
      query: [['key', 'pass:word']],
    };
    expect(placeCredentials(places, false, { headers: { authorization: basic } })).toEqual(all);
    expect(placeCredentials(places, true, { headers: { authorization: basic } })).toEqual({
      headers: { authorization: basic },
      query: [],
    });
    expect(placeCredentials([places[0]], false, { headers: { 'x-api-key': 'k' } })).toMatchObject({
      query: [['key', 'k']],
    });
  });
  test('are declared by the document', async () => {
    const securitySchemes = {
      a: { type: 'apiKey', in: 'query', name: 'key' },
      b: { type: 'oauth2', flows: {} },
      c: { type: 'http', scheme: 'basic' },
      d: { type: 'apiKey', in: 'header', name: 'Host' },
    };
    const of = await imported({ paths: { '/x': { get: ok } }, components: { securitySchemes } });
    expect(of.service.credentials).toEqual({ places: [{ in: 'query', name: 'key' }, { in: 'bearer' }], basic: true });
  });
});

test('an operation that is called as the answer of another, and names that begin with a digit, have stubs', async () => {
  const of = await imported({
    info: { title: '3D Printing', version: '1' },
    paths: {
      '/a': {
        get: { operationId: 'xResponse', ...ok },
        post: { operationId: 'x', ...ok },
        put: { operationId: '2fa', ...ok },
      },
    },
  });
  expect(of.service.name).toBe('Api3DPrinting');
  expect([...of.service.operations.keys()]).toEqual(['xResponse', 'operation2fa', 'x']);
  const wsdl = deriveWsdl(of.service, { address: 'http://gateway.example/', soap12: false });
  const elements = [...wsdl.matchAll(/<xsd:element name="(\w+)"/g)].map(([, name]) => name!);
  expect(new Set(elements).size).toBe(elements.length);
  expect(elements.filter((each) => /^\d|^_\d/.test(each))).toEqual([]);
});
