/** Types that contain themselves: every format reads them at any depth within its limits, and refuses what is deeper. */
import { Buffer } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Operation } from '../../src/core/contract/operation.ts';
import { recursive, self } from '../../src/core/contract/recursive.ts';
import { list, object, optional, required, string } from '../../src/core/contract/schema.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { partsIn } from '../../src/core/contract/walk.ts';
import { createProtocols, type NamedProtocol } from '../../src/core/formats/wire-formats.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { deriveOpenApi } from '../../src/documents/openapi.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { outcomeOf } from '../support/exchange.ts';
import { type ImportedContract, importWsdl } from '../support/import-wsdl.ts';
import { runContract } from '../support/run-contract.ts';
import { tempFolder } from '../support/temp-folder.ts';

const file = join(import.meta.dirname, '../wsdl/recursive.wsdl');
const folder = tempFolder();
afterAll(() => folder.discard());

let imported: ImportedContract;
let keep: Operation;
beforeAll(async () => {
  imported = await importWsdl(file, { allowNetwork: false });
  keep = imported.service.operations.get('Keep')!;
});

const wsdlOf = (service: Service) => deriveWsdl(service, { address: 'http://recursive.example/', soap12: true });

test('the import leaves nothing out', () => {
  expect(imported.findings.filter(({ kind }) => kind !== 'check')).toEqual([]);
});

test('the WSDL of the import is imported to the same one', async () => {
  const derived = join(folder.path, 'derived.wsdl');
  writeFileSync(derived, wsdlOf(imported.service));
  const again = await importWsdl(derived, { allowNetwork: false });
  expect(wsdlOf(again.service)).toBe(wsdlOf(imported.service));
  for (const part of ['name="Owner" type="t:Person"', 'name="Home" type="t:Address"', 'name="Near" type="t:Address"'])
    expect(wsdlOf(imported.service)).toContain(part);
});

test('the text of the contract says each type once, and runs to the same contract', () => {
  expect(imported.text).toContain(
    "Folders: optional(list(self('Folder'), 'Folder', { max: 10000, nullItems: true, whenEmpty: 'present' }), '')",
  );
  const contract = runContract(imported.text);
  expect(wsdlOf(contract)).toBe(wsdlOf(imported.service));
  expect(contract.operations.get('Keep')!.input.fields).toEqual(keep.input.fields);
  expect(imported.text).not.toContain('32');
});

test('OpenAPI has one component for each type, which refers to itself', () => {
  const document = deriveOpenApi([imported.service], 'http://gateway.example');
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, unknown>> };
  expect(schemas.Folder).toMatchObject({
    properties: { Folders: { items: { anyOf: [{ $ref: '#/components/schemas/Folder' }, { type: 'null' }] } } },
  });
  expect(JSON.stringify(document)).not.toContain('#self/');
  expect(Object.keys(schemas).filter((name) => name.startsWith('Folder'))).toEqual(['Folder', 'FolderShown']);
  // Types in each other have one component each, too.
  expect(schemas.Person).toMatchObject({ properties: { Home: { $ref: '#/components/schemas/Address' } } });
  expect(schemas.Address).toMatchObject({
    properties: {
      Owner: { $ref: '#/components/schemas/Person' },
      Near: { items: { $ref: '#/components/schemas/Address' } },
    },
  });
});

test('examples have one object in one of its kind, and end', () => {
  expect(exampleOf(keep.input, 'full')).toMatchObject({ Root: { Name: 'text', Folders: [{ Name: 'text' }] } });
  expect(exampleOf(keep.input, 'full')).not.toHaveProperty('Root.Folders.0.Folders');
  expect(exampleOf(keep.input, 'minimal')).toEqual({});
});

const levelsOf = (count: number): object =>
  count === 1 ? { Name: 'deepest' } : { Name: 'n', Folders: [levelsOf(count - 1)] };

const deeperXml = (body: string): string =>
  body.replace(/<(\w+:)?Name>deepest<.*?>/, '$&<$1Folders><$1Folder><$1Name>x</$1Name></$1Folder></$1Folders>');

/** Puts one more folder into the deepest one. */
const deeper = {
  soap11: deeperXml,
  soap12: deeperXml,
  json: (body) => body.replace('"Name":"deepest"', '$&,"Folders":[{"Name":"x"}]'),
  form: (body) => body.replace(/([^&=]+)[.]Name=deepest/, '$&&$1.Folders.0.Name=x'),
} satisfies Partial<Record<NamedProtocol, (body: string) => string>>;

describe.each(Object.keys(deeper) as (keyof typeof deeper)[])('%s', (format) => {
  const outcome = (count: number, change: (body: string) => string = (body) => body) => {
    const protocols = createProtocols([imported.service]);
    const call = protocols[format].encodeRequest(imported.service, keep, { Root: levelsOf(count) });
    const changed = { ...call, body: change(call.body) };
    return outcomeOf(protocols, format, changed, compileRoutes([imported.service]));
  };

  test('reads 32 levels', () => {
    expect(outcome(32)).toEqual({ operation: 'Keep', input: JSON.stringify({ Root: levelsOf(32) }) });
    expect(outcome(31, deeper[format])).toMatchObject({ input: expect.stringContaining('"Folders":[{"Name":"x"}]') });
  });

  test('refuses one more, and names it', () => {
    expect(outcome(32, deeper[format])).toMatchObject({
      message: expect.stringContaining('Folders is too deep: Folder may be 32 deep in itself'),
    });
  });

  test('reads a deeper answer of another server', () => {
    const { encode, decodeAnswer } = createProtocols([imported.service])[format];
    const answerOf = (count: number) => {
      const body = Buffer.from(encode(keep, { Root: levelsOf(count) }).body);
      return decodeAnswer(keep, { status: 200, media: { type: '', charset: undefined }, headers: {}, body });
    };
    const whole = (count: number) => ({ value: { Root: levelsOf(count) }, issues: [], unknownMembers: [] });
    expect(answerOf(45)).toMatchObject(whole(45));
    // Control: no format reads so many, since they are 100 deep.
    expect(() => expect(answerOf(60)).toMatchObject(whole(60))).toThrow();
  });
});

/** A request with so many levels, which is deeper than any parser reads. */
const hostile = {
  soap11: (levels) => `<Folders><Folder>`.repeat(levels),
  json: (levels) => `{"Folders":[`.repeat(levels),
  form: (levels) => `Root${'.Folders.0'.repeat(levels)}.Name=x`,
} satisfies Partial<Record<NamedProtocol, (levels: number) => string>>;

describe.each(Object.keys(hostile) as (keyof typeof hostile)[])('a hostile request in %s', (format) => {
  const measure = (levels: number): { readonly ms: number; readonly message: string | undefined } => {
    const protocols = createProtocols([imported.service]);
    const call = protocols[format].encodeRequest(imported.service, keep, { Root: { Name: 'y' } });
    const body = call.body.replace(/<(\w+:)?Name.*?Name>|\{"Name":"y"\}|Root\.Name=y/, () => hostile[format](levels));
    const start = performance.now();
    const outcome = outcomeOf(protocols, format, { ...call, body }, compileRoutes([imported.service]));
    return { ms: performance.now() - start, message: 'message' in outcome ? outcome.message : undefined };
  };

  test('is refused at once, however deep it is', () => {
    const { ms, message } = measure(100_000);
    expect(message).toBeDefined();
    expect(ms).toBeLessThan(1_000);
  });
});

/** A WSDL in which each of the types contains all of them. */
function web(count: number): string {
  const names = Array.from({ length: count }, (_, at) => `T${at}`);
  const elements = names.map((name) => `<xs:element name="${name}" type="t:${name}" minOccurs="0"/>`).join('');
  const own = '<xs:element name="Own" type="xs:int"/>';
  const types = names.map(
    (name) => `<xs:complexType name="${name}"><xs:sequence>${own}${elements}</xs:sequence></xs:complexType>`,
  );
  return readFileSync(file, 'utf8').replace('elementFormDefault="qualified">', `$&${types.join('')}`);
}

describe('types that all contain each other', () => {
  test('are read once each, however many they are', async () => {
    const written = join(folder.path, 'web.wsdl');
    writeFileSync(written, web(60).replace('name="Root" type="t:Folder"', 'name="Root" type="t:T0"'));
    const { service, findings, text } = await importWsdl(written, { allowNetwork: false });
    expect(findings.filter(({ kind }) => kind !== 'check')).toEqual([]);
    const { input } = service.operations.get('Keep')!;
    expect(partsIn(input).length).toBeLessThan(60 * 70);
    expect(wsdlOf(runContract(text))).toBe(wsdlOf(service));
    const deepest = Array.from({ length: 20 }, (_, at) => `T${(at * 7) % 60}`);
    const value = { Root: deepest.reduceRight<object>((inner, name) => ({ Own: 1, [name]: inner }), { Own: 2 }) };
    const protocols = createProtocols([service]);
    for (const format of ['soap11', 'json', 'form'] as const) {
      const call = protocols[format].encodeRequest(service, service.operations.get('Keep')!, value);
      expect(outcomeOf(protocols, format, call, compileRoutes([service]))).toEqual({
        operation: 'Keep',
        input: JSON.stringify(value),
      });
    }
    expect(JSON.stringify(exampleOf(input, 'full')).length).toBeLessThan(200_000);
  });
});

/** A WSDL in which many types extend one: each holds another one of them, and any number of any of them. */
function subtypes(count: number): string {
  const element = (name: string, type: string, more = '') => `<xs:element name="${name}" type="${type}" ${more}/>`;
  const sequence = (...elements: readonly string[]) => `<xs:sequence>${elements.join('')}</xs:sequence>`;
  const anyOfThem = element('Others', 't:Item', 'minOccurs="0" maxOccurs="unbounded"');
  const base = `<xs:complexType name="Item">${sequence(element('Id', 'xs:string', 'minOccurs="0"'), anyOfThem)}</xs:complexType>`;
  const extended = Array.from({ length: count }, (_, at) => {
    const own = sequence(
      element(`Name${at}`, 'xs:string', 'minOccurs="0"'),
      element('Next', `t:Item${(at + 1) % count}`, 'minOccurs="0"'),
    );
    return `<xs:complexType name="Item${at}"><xs:complexContent><xs:extension base="t:Item">${own}</xs:extension></xs:complexContent></xs:complexType>`;
  });
  return readFileSync(file, 'utf8')
    .replace('elementFormDefault="qualified">', `$&${base}${extended.join('')}`)
    .replaceAll('name="Root" type="t:Folder"', 'name="Root" type="t:Item"');
}

describe('several hundred types that extend one, and hold each other', () => {
  const count = 400;
  const value = {
    Root: {
      xsiType: 'Item7',
      Id: '7',
      Others: [
        { xsiType: 'Item390', Name390: 'one' },
        { xsiType: 'Item', Id: '8' },
      ],
      Name7: 'seven',
      Next: { Name8: 'eight', Next: { Others: [{ xsiType: 'Item399', Name399: 'last' }] } },
    },
  };
  let service: Service;
  let text: string;
  let operation: Operation;
  beforeAll(async () => {
    const written = join(folder.path, 'subtypes.wsdl');
    writeFileSync(written, subtypes(count));
    const found = await importWsdl(written, { allowNetwork: false });
    expect(found.findings.filter(({ kind }) => kind !== 'check')).toEqual([]);
    ({ service, text } = found);
    operation = service.operations.get('Keep')!;
  });

  test.each(['soap11', 'soap12', 'json', 'form'] as const)('are read and printed in %s by their names', (format) => {
    const protocols = createProtocols([service]);
    const call = protocols[format].encodeRequest(service, operation, value);
    if (format.startsWith('soap')) expect(call.body).toMatch(/xsi:type="\w+:Item7".*xsi:type="\w+:Item390"/s);
    expect(outcomeOf(protocols, format, call, compileRoutes([service]))).toEqual({
      operation: 'Keep',
      input: JSON.stringify(value),
    });
    const body = Buffer.from(protocols[format].encode(operation, value).body);
    const reply = { status: 200, media: { type: '', charset: undefined }, headers: {}, body };
    expect(protocols[format].decodeAnswer(operation, reply)).toMatchObject({ value, issues: [], unknownMembers: [] });
  });

  test('refuse the members of another one, and a type that is none of them', () => {
    const protocols = createProtocols([service]);
    for (const [Root, message] of [
      [{ ...value.Root, Name9: 'nine' }, 'Name9'],
      [{ xsiType: 'Item400' }, 'Item400, which is no type that may stand here'],
    ] as const) {
      const call = protocols.json.encodeRequest(service, operation, value);
      const changed = { ...call, body: JSON.stringify({ Root }) };
      expect(outcomeOf(protocols, 'json', changed, compileRoutes([service]))).toMatchObject({
        message: expect.stringContaining(message),
      });
    }
  });

  test('are as many in the contract and its documents as in the WSDL', () => {
    expect(operation.input.fields.Root!.schema).toMatchObject({ variants: { length: count } });
    expect(partsIn(operation.input).length).toBeLessThan(count * 20);
    expect(wsdlOf(runContract(text))).toBe(wsdlOf(service));
    expect(wsdlOf(service).match(/<xsd:extension base="\w+:Item">/g)).toHaveLength(count);
    const document = JSON.stringify(deriveOpenApi([service], 'http://gateway.example'));
    expect(document.length).toBeLessThan(count * 10_000);
    expect(document).toContain('"Item399":"#/components/schemas/Item399');
  });
});

describe('a recursive object', () => {
  const text = string({ example: 'text' });

  test.each([
    ['that must contain itself', object('A', { n: required(text), a: required(self('A')) })],
    ['that contains nothing else', object('A', { a: optional(list(self('A'), 'a', { max: 9 })) })],
  ])('%s is refused', (_, template) => {
    expect(() => recursive(template, 3)).toThrow('A must contain itself, or contains nothing else');
  });

  test.each([1, 65, 2.5])('has no %d levels', (levels) => {
    expect(() => recursive(object('A', { n: required(text), a: optional(self('A')) }), levels)).toThrow(TypeError);
  });

  test('holds itself, also in its parts', () => {
    const part = object('B', { a: required(self('A')) });
    const whole = recursive(object('A', { n: required(text), b: optional(part) }));
    expect(Object(whole.fields.b.schema).fields.a.schema).toBe(whole);
  });

  test('stands in a recursive object that is a part of it', () => {
    const part = recursive(object('B', { n: optional(text), a: optional(self('A')), b: optional(self('B')) }));
    const whole = recursive(object('A', { n: required(text), b: optional(part), other: optional(part) }));
    const { b, other } = Object(whole.fields);
    expect(b.schema).toBe(other.schema);
    expect(b.schema).not.toBe(part);
    expect(b.schema.fields.a.schema).toBe(whole);
    expect(b.schema.fields.b.schema).toBe(b.schema);
    // The part by itself is as it was declared.
    expect(Object(part.fields.a.schema).isSelf).toBe(true);
  });
});

test.each(['types', 'encoded'])(
  'the text of %s.wsdl runs to the same contract, and its WSDL is imported to the same one',
  async (name) => {
    const { service, text } = await importWsdl(join(import.meta.dirname, `../wsdl/${name}.wsdl`), {
      allowNetwork: false,
    });
    expect(wsdlOf(runContract(text))).toBe(wsdlOf(service));
    const derived = join(folder.path, `${name}.wsdl`);
    writeFileSync(derived, wsdlOf(service));
    expect(wsdlOf((await importWsdl(derived, { allowNetwork: false })).service)).toBe(wsdlOf(service));
  },
);
