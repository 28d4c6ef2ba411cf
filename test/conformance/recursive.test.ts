/** Deep values of types that contain themselves: in every format, with a server behind the gateway in every format. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operation } from '../../src/core/contract/operation.ts';
import { recursive, self } from '../../src/core/contract/recursive.ts';
import {
  type Field,
  list,
  type ObjectSchema,
  object,
  oneOf,
  optional,
  polymorphic,
  required,
  type Schema,
  string,
} from '../../src/core/contract/schema.ts';
import { createProtocols, type NamedProtocol } from '../../src/core/formats/wire-formats.ts';
import { service } from '../../src/program/api/contract.ts';
import { createGateway } from '../../src/program/api/index.ts';

const text = string({ max: 20, example: 'text' });
const several = (item: ObjectSchema) => optional(list(item, 'item', { max: 9 }), 'Several.');

/** Three members that hold it. */
const filter = recursive(
  object('Filter', {
    and: several(self('Filter')),
    field: optional(text, 'The name.'),
    not: optional(self('Filter'), 'What must not hold.'),
    or: several(self('Filter')),
  }),
);

/** Through another type, which holds itself, too. */
const person = recursive(
  object('Person', {
    deputy: optional(self('Person'), 'Another one.'),
    name: required(text, 'The name.'),
    unit: optional(self('Unit'), 'What the person manages.'),
  }),
);
const unit = recursive(
  object('Unit', {
    manager: optional(person, 'The manager.'),
    name: required(text, 'The name.'),
    units: several(self('Unit')),
  }),
);

/** Through a type that extends it. */
const typeName = (name: string, isRequired = true): Field =>
  (isRequired ? required : optional)(oneOf(`${name}TypeName`, name), 'The type.', { xml: 'type' });
const shape = recursive(
  polymorphic(object('Shape', { xsiType: typeName('Shape', false), name: required(text, 'The name.') }), [
    object(
      'Group',
      { xsiType: typeName('Group'), name: required(text, 'The name.'), shapes: several(self('Shape')) },
      { extends: { name: 'Shape' } },
    ),
  ]),
);

const parts = { filter, unit, shape } satisfies Record<string, Schema>;
const fields = Object.fromEntries(Object.entries(parts).map(([name, schema]) => [name, optional(schema, 'A tree.')]));
const keep = operation({
  name: 'keep',
  doc: 'Returns what it gets.',
  effect: 'reads',
  role: 'trees',
  problems: [],
  input: object('KeepRequest', fields),
  output: object('KeepResult', fields),
});
const trees = service({
  name: 'DeepTrees',
  version: 1,
  doc: 'Trees.',
  address: '/trees',
  namespaces: { own: 'own', uris: { own: 'urn:example:deep-trees' } },
  soapStyle: 'wrapped',
  operations: [keep],
});

/** A value of so many levels, each around the next one. */
function nested(levels: number, around: (inner: object | undefined, level: number) => object): object {
  let value: object | undefined;
  for (let level = levels; level >= 1; level -= 1) value = around(value, level);
  return value!;
}

const deep = {
  filter: (levels: number) =>
    nested(levels, (inner, level) => {
      if (inner === undefined) return { field: 'deepest' };
      if (level % 3 === 0) return { not: inner };
      return level % 3 === 1 ? { and: [{ field: 'a' }, inner] } : { field: 'b', or: [inner] };
    }),
  unit: (levels: number) =>
    nested(levels, (inner, level) => {
      if (inner === undefined) return { name: 'deepest' };
      if (level % 2 === 0) return { name: 'u', units: [{ name: 'v' }, inner] };
      return { manager: { deputy: { name: 'd', unit: inner }, name: 'm' }, name: 'u' };
    }),
  shape: (levels: number) =>
    nested(levels, (inner) =>
      inner === undefined ? { xsiType: 'Shape', name: 'deepest' } : { xsiType: 'Group', name: 'g', shapes: [inner] },
    ),
} satisfies Record<keyof typeof parts, unknown>;

const formats = ['soap11', 'soap12', 'json', 'form'] as const satisfies readonly NamedProtocol[];
const direct = createProtocols([trees]);

const received: unknown[] = [];
const opened: { close(): Promise<unknown> }[] = [];
const addresses = new Map<string, { readonly url: string; readonly key: string }>();

async function open(title: string, parts: Parameters<typeof createGateway>[0]): Promise<void> {
  const gateway = await createGateway({ ...parts, settings: { LOG_LEVEL: 'error' } });
  opened.push(gateway);
  const credential = { tenant: 'acme', kind: 'apiKey', roles: ['trees'], grants: {} } as const;
  const { secret } = await gateway.credentials.addCredential(credential);
  addresses.set(title, { url: String(await gateway.listen()), key: secret });
}

beforeAll(async () => {
  const own = trees.with({
    async keep({ input }) {
      received.push(input);
      return input;
    },
  });
  await open('itself', { services: [own] });
  const { url, key } = addresses.get('itself')!;
  for (const format of formats)
    await open(format, {
      services: [trees.answeredBy('server')],
      upstreams: { server: { url, format, credentials: { apiKey: { inClear: key } } } },
    });
});
afterAll(async () => {
  for (const each of opened.reverse()) await each.close();
});

async function call(title: string, format: NamedProtocol, input: unknown) {
  const { url, key } = addresses.get(title)!;
  const { path, contentType, headers, body } = direct[format].encodeRequest(trees, keep, input);
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': contentType, 'X-API-Key': key },
    body,
  });
  return { status: response.status, body: await response.text() };
}

describe.each(['itself', ...formats])('answered by %s', (title) => {
  describe.each(formats)('a call in %s', (format) => {
    test.each(Object.keys(deep) as (keyof typeof deep)[])('a %s of 30 levels arrives and comes back', async (name) => {
      const input = { [name]: deep[name](30) };
      received.length = 0;
      const { status, body } = await call(title, format, input);
      expect([status, received]).toEqual([200, [input]]);
      expect(direct[format].decodeResponse(keep, body)).toMatchObject({ value: input, issues: [] });
    });

    test('a filter of 33 levels is refused, with its bound', async () => {
      received.length = 0;
      const { status, body } = await call(title, format, { filter: deep.filter(33) });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(body.replaceAll('+', ' ')).toContain('Filter may be 32 deep in itself');
      expect(received).toEqual([]);
    });
  });
});
