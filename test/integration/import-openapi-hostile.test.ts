/** OpenAPI documents that are made to do harm: texts that would be code, YAML that means very much, references in circles. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { escapeUnprintable } from '../../src/core/lib/escape-unprintable.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { openApiFindingLines } from '../../src/readers/openapi/findings.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { checkSource, UnsafeSource } from '../../src/readers/wsdl/check-source.ts';
import { Unread } from '../../src/readers/wsdl/read-location.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(join(folder.path, 'inner'), { recursive: true });
});
afterAll(() => folder.discard());

async function read(text: string, name = 'inner/api.yaml') {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return await importOpenApi(file, { allowNetwork: false });
}

const hostile = [
  "'); process.exit(7); ('",
  '*/ process.exit(7) /*',
  '\n//\u2028process.exit(7)',
  '$' + '{process.exit(7)}',
  '__proto__',
  'constructor',
  ']]><!-- &lt; " \' </xsd:schema>',
  '\u202e\u009b2J\u0007',
  '../../etc/passwd',
  'toString',
];

describe.each(hostile)('the text %j', (text) => {
  const document = {
    openapi: '3.1.0',
    info: { title: text, description: text, version: text },
    servers: [{ url: `https://api.example/${encodeURIComponent(text)}` }],
    components: {
      schemas: {
        [text]: {
          type: 'object',
          description: text,
          required: [text],
          properties: { [text]: { type: 'string', enum: [text, `${text}2`], example: text, description: text } },
        },
      },
      securitySchemes: { [text]: { type: 'apiKey', in: 'header', name: text } },
    },
    paths: {
      '/plain': { get: { responses: {} } },
      [`/${text}`]: {
        post: {
          operationId: text,
          summary: text,
          parameters: [
            { name: text, in: 'query', description: text, schema: { type: 'string', default: text } },
            { name: text, in: 'header', schema: { type: 'string' } },
            { name: text, in: 'cookie', schema: { type: 'string' } },
          ],
          requestBody: {
            content: {
              [text]: { schema: {} },
              'application/json': {
                schema: {
                  $ref: `#/components/schemas/${text.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25')}`,
                },
              },
            },
          },
          responses: {
            200: {
              description: text,
              headers: { [text]: { description: text } },
              content: {
                'application/json': { schema: { type: 'object', properties: { [text]: { type: 'integer' } } } },
              },
            },
          },
        },
      },
    },
  };

  test('is no code, no markup and no sign for a terminal', async () => {
    const imported = await read(JSON.stringify(document), 'inner/api.json');
    const source = imported.text();
    expect(() => checkSource(source)).not.toThrow();
    for (const line of openApiFindingLines(imported.findings)) expect(escapeUnprintable(line)).toBe(line);
    createProtocols([imported.service]);
    expect(deriveWsdl(imported.service, { address: 'http://gateway.example/', soap12: true })).not.toContain(
      '</xsd:schema> "',
    );
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

test('the check of sources refuses what would be code', () => {
  const source = "import { string } from 'triglyph/contract';\n\nconst a = string({ example: 'x' });\n";
  expect(() => checkSource(source)).not.toThrow();
  expect(() => checkSource(source.replace("'x'", 'process.exit(7)'))).toThrow(UnsafeSource);
});

const get =
  'paths: {/a: {get: {responses: {"200": {description: "", content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}}}}}';

test.each([
  [
    'aliases that stand for very much',
    `openapi: 3.0.0\nx0: &x0 [a, a, a, a, a, a, a, a, a]\n${Array.from({ length: 9 }, (_, at) => `x${at + 1}: &x${at + 1} [${Array(9).fill(`*x${at}`).join(', ')}]`).join('\n')}\n${get}`,
    /alias/i,
  ],
  ['too many aliases', `openapi: 3.0.0\nx: &x a\ny: [${Array(1_500).fill('*x').join(', ')}]\n${get}`, /aliases/],
  ['brackets in each other', `{"openapi":"3.0.0","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, /deep|stack/i],
  ['flow style in itself', `openapi: 3.0.0\nx: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, /deep|stack/i],
  ['two keys of one name', 'openapi: 3.0.0\nopenapi: 3.0.0\npaths: {}', /unique/],
  ['no text', '\u0000\u0001', /./],
  ['a list', '[]', /no OpenAPI document/],
])('%s is refused with a reason', async (_, text, reason) => {
  await expect(read(text)).rejects.toThrow(Unread);
  await expect(read(text)).rejects.toThrow(reason);
});

test.each([
  [
    'an alias in itself',
    `openapi: 3.0.0\n${get}\ncomponents: {schemas: {A: &a {type: object, properties: {a: *a, b: {type: string}}}}}`,
  ],
  ['a reference to itself', `openapi: 3.0.0\n${get}\ncomponents: {schemas: {A: {$ref: "#/components/schemas/A"}}}`],
  [
    'references in a circle',
    `openapi: 3.0.0\n${get}\ncomponents: {schemas: {A: {$ref: "#/components/schemas/B"}, B: {$ref: "#/components/schemas/A"}}}`,
  ],
  [
    'allOf of itself',
    `openapi: 3.0.0\n${get}\ncomponents: {schemas: {A: {allOf: [{$ref: "#/components/schemas/A"}], properties: {a: {type: string}}}}}`,
  ],
  [
    'oneOf of itself',
    `openapi: 3.0.0\n${get}\ncomponents: {schemas: {A: {oneOf: [{$ref: "#/components/schemas/A"}, {type: object, properties: {a: {type: string}}}]}}}`,
  ],
  [
    'a list of itself',
    `openapi: 3.0.0\n${get}\ncomponents: {schemas: {A: {type: array, items: {$ref: "#/components/schemas/A"}}}}`,
  ],
  [
    'nothing but itself',
    `openapi: 3.0.0\n${get}\ncomponents: {schemas: {A: {type: object, required: [a], properties: {a: {$ref: "#/components/schemas/A"}}}}}`,
  ],
  [
    'values of wrong types',
    `openapi: 3.0.0\n${get}\ncomponents: {schemas: {A: {type: 7, properties: [1], required: x, enum: {}, items: 3, allOf: {}, oneOf: x, discriminator: 5, additionalProperties: x}}}`,
  ],
])('%s ends', async (_, text) => {
  const imported = await read(text);
  expect(imported.service.operations.size).toBe(1);
  createProtocols([imported.service]);
  deriveWsdl(imported.service, { address: 'http://gateway.example/', soap12: true });
  imported.text();
});

test('types that double at each level are bounded', async () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `T${at}`,
      {
        type: 'object',
        properties:
          at === 39
            ? { v: { type: 'string' } }
            : { a: { $ref: `#/components/schemas/T${at + 1}` }, b: { $ref: `#/components/schemas/T${at + 1}` } },
      },
    ]),
  );
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, { type: 'string' }]));
  const respond = (schema: unknown) => ({
    get: { responses: { 200: { description: '', content: { 'application/json': { schema } } } } },
  });
  const paths = {
    '/deep': respond({ $ref: '#/components/schemas/T0' }),
    '/wide': respond({ type: 'object', properties: many }),
  };
  const { service, findings } = await read(JSON.stringify({ openapi: '3.0.0', paths, components: { schemas } }));
  expect(service.operations.size).toBe(2);
  expect(findings.map(({ text }) => text).join()).toContain('too large, or too deep');
  expect(deriveWsdl(service, { address: 'http://gateway.example/', soap12: true }).length).toBeLessThan(3_000_000);
});

const answer = (name: string) => ({
  get: {
    operationId: `get${name}`,
    responses: {
      200: { description: '', content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
    },
  },
});

test.each([
  ['each type holds all', (_at: number, other: number) => other >= 0, 25],
  ['each type holds the next three', (at: number, other: number) => [1, 2, 3].includes((other - at + 30) % 30), 30],
  ['pairs of types hold each other', (at: number, other: number) => (at ^ 1) === other, 40],
])('types in each other have one form in the WSDL: %s', async (_, holds, count) => {
  const all = Array.from({ length: count }, (__, at) => at);
  const schemas = Object.fromEntries(
    all.map((at) => {
      const held = all.filter((other) => holds(at, other));
      const properties = Object.fromEntries(
        held.map((other) => [`t${other}`, { $ref: `#/components/schemas/T${other}` }]),
      );
      return [`T${at}`, { type: 'object', properties: { name: { type: 'string' }, ...properties } }];
    }),
  );
  const paths = Object.fromEntries(all.map((at) => [`/t${at}`, answer(`T${at}`)]));
  const { service, text } = await read(JSON.stringify({ openapi: '3.0.0', paths, components: { schemas } }));
  expect(service.operations.size).toBe(count);
  createProtocols([service]);
  const wsdl = deriveWsdl(service, { address: 'http://gateway.example/', soap12: true });
  expect([...wsdl.matchAll(/<xsd:complexType name="(\w+)"/g)].map(([, name]) => name)).toHaveLength(
    new Set([...wsdl.matchAll(/<xsd:complexType name="(\w+)"/g)].map(([, name]) => name)).size,
  );
  expect(() => checkSource(text())).not.toThrow();
});

test('merge keys of YAML are members, and not those of the prototype', async () => {
  const text = `openapi: 3.0.0
x-base: &base {type: object, properties: {a: {type: string}, __proto__: {type: string}, constructor: {type: string}}}
${get}
components: {schemas: {A: {<<: *base, description: more}}}`;
  const { service } = await read(text);
  expect(Object.keys(service.operations.get('getA')?.output.fields ?? {})).toEqual(['a', 'proto__', '_constructor']);
});

test('a document reads no file outside of its folder, and no network', async () => {
  writeFileSync(join(folder.path, 'secret.json'), '{"A":{"type":"object","properties":{"secret":{"type":"string"}}}}');
  writeFileSync(join(folder.path, 'inner/own.json'), '{"A":{"type":"object","properties":{"own":{"type":"string"}}}}');
  const document = (file: string) => `openapi: 3.0.0\n${get.replace('#/components/schemas/A', `${file}#/A`)}`;
  for (const file of ['../secret.json', 'http://127.0.0.1:1/a.json', 'file:///etc/hostname', 'ftp://x/y'])
    expect((await read(document(file))).findings.map(({ kind }) => kind)).toContain('refused');
  // The control: one beside it is read.
  const { service, findings } = await read(document('own.json'));
  expect([Object.keys(service.operations.get('getA')?.output.fields ?? {}), findings]).toEqual([['own'], []]);
});
