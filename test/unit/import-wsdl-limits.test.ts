/** Tests what an import refuses to read, and what it reports of a WSDL that the contract language cannot say. */
import { Buffer } from 'node:buffer';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { operation } from '../../src/core/contract/operation.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
const inside = join(folder.path, 'inside');
beforeEach(() => {
  mkdirSync(inside, { recursive: true });
});
afterAll(() => folder.discard());

const xs = 'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"';
const write = (name: string, text: string) => {
  const file = join(inside, name);
  writeFileSync(file, text);
  return file;
};

/** A WSDL with the operation Ask, whose input has the content given. */
const wsdl = (content: string, more = '', head = '') => `${head}<definitions name="T" targetNamespace="urn:t" ${xs}
 xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"><types>
<xs:schema targetNamespace="urn:t" elementFormDefault="qualified">${more}
<xs:element name="Ask"><xs:complexType>${content}</xs:complexType></xs:element>
<xs:element name="AskResponse"><xs:complexType><xs:sequence><xs:element name="Text" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
</xs:schema></types><message name="i"><part name="p" element="t:Ask"/></message><message name="o"><part name="p" element="t:AskResponse"/></message>
<portType name="T"><operation name="Ask"><input message="t:i"/><output message="t:o"/></operation></portType>
<binding name="B" type="t:T"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Ask">
<input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
<service name="T"><port name="P" binding="t:B"><soap:address location="http://t.example/t"/></port></service></definitions>`;

const fieldsOf = async (content: string, more = '') => {
  const imported = await importWsdl(write('t.wsdl', wsdl(content, more)), { allowNetwork: false });
  const { fields, choices } = imported.service.operations.get('Ask')!.input;
  return { fields, choices, findings: imported.findings.filter(({ kind }) => kind !== 'check') };
};
const sequence = (...elements: readonly string[]) => `<xs:sequence>${elements.join('')}</xs:sequence>`;
const ok = '<xs:element name="Ok" type="xs:int"/>';

describe('documents', () => {
  const plain = wsdl(sequence(ok));
  const importText = (text: string) => importWsdl(write('t.wsdl', text), { allowNetwork: false });

  test('with a DOCTYPE are refused, and so are the entities in it', async () => {
    const bomb = '<!DOCTYPE definitions [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>';
    await expect(importText(wsdl(sequence(ok), '', bomb))).rejects.toThrow('doctype');
    await expect(importText(plain)).resolves.toBeDefined();
  });

  test.each(['\n\n', '<!-- made by a script -->\n', '\ufeff<!-- one --><!-- two -->'])(
    'with %j before the XML declaration are read',
    async (layout) => {
      await expect(importText(`${layout}<?xml version="1.0" encoding="UTF-8"?>${plain}`)).resolves.toBeDefined();
    },
  );

  test.each([
    ['unknown entities', plain.replace('urn:t', '&x;'), 'not well-formed'],
    ['undeclared prefixes', plain.replace('<xs:schema', '<q:schema'), 'not well-formed'],
    ['another root', '<definitions/>', 'no WSDL 1.1'],
    ['a page', '\n<!DOCTYPE html><html><body>Log in</body></html>', 't.wsdl is a page in HTML'],
    ['an archive', 'PK\x03\x04', 't.wsdl is an archive'],
    ['an OpenAPI document', '{\n  "openapi": "3.0.1" }', 't.wsdl is an OpenAPI document: give it to --openapi'],
    ['an OpenAPI document in YAML', 'openapi: 3.1.0\ninfo: {}', 't.wsdl is an OpenAPI document'],
    ['nothing', ' \n', 't.wsdl is empty'],
    ['a WSDL 2.0', '<description xmlns="http://www.w3.org/ns/wsdl"/>', 't.wsdl is a WSDL 2.0'],
    ['a schema', '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>', 't.wsdl is an XML schema'],
    ['too much depth', `${'<a>'.repeat(101)}${'</a>'.repeat(101)}`, 'too deep'],
  ])('with %s are refused', async (_, text, reason) => {
    await expect(importText(text)).rejects.toThrow(reason);
  });

  const included = (location: string) => `<xs:include schemaLocation="${location}"/>`;
  test.each([
    ['a file outside of the folder', '../outside.xsd', 'outside of the folder'],
    ['a file outside, encoded', '..%2foutside.xsd', 'cannot be read'],
    ['a file that does not exist', 'none.xsd', 'there is no such file'],
    ['a URL', 'http://127.0.0.1:1/a.xsd', 'is on the network'],
    ['another scheme', 'data:text/xml,a', 'no file and no URL'],
  ])('are not read from %s', async (_, location, reason) => {
    writeFileSync(join(folder.path, 'outside.xsd'), `<xs:schema ${xs}/>`);
    const { findings } = await fieldsOf(sequence(ok), included(location));
    expect(findings).toMatchObject([{ kind: 'refused', text: expect.stringContaining(reason) }]);
  });

  test('are read from another folder where that is given', async () => {
    writeFileSync(
      join(folder.path, 'outside.xsd'),
      `<xs:schema ${xs}><xs:simpleType name="S"><xs:restriction base="xs:int"/></xs:simpleType></xs:schema>`,
    );
    const file = write('t.wsdl', wsdl(sequence('<xs:element name="A" type="t:S"/>'), included('../outside.xsd')));
    const { service, findings } = await importWsdl(file, { allowNetwork: false, folder: folder.path });
    expect(findings.filter(({ kind }) => kind === 'refused')).toEqual([]);
    expect(service.operations.get('Ask')!.input.fields.A!.schema.kind).toBe('integer');
  });

  test('of a schema without a namespace are of each namespace that includes it, with the names in it', async () => {
    write(
      'common.xsd',
      `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
<xs:simpleType name="Key"><xs:restriction base="xs:int"/></xs:simpleType>
<xs:complexType name="Note">${sequence('<xs:element name="key" type="Key"/>')}</xs:complexType></xs:schema>`,
    );
    write('u.xsd', `<xs:schema ${xs} targetNamespace="urn:u"><xs:include schemaLocation="common.xsd"/></xs:schema>`);
    const more = `<xs:import namespace="urn:u" schemaLocation="u.xsd"/>${included('common.xsd')}`;
    const own = '<xs:element name="Own" type="t:Note"/>';
    const other = '<xs:element name="Other" type="u:Note" xmlns:u="urn:u"/>';
    const { fields, findings } = await fieldsOf(sequence(own, other), more);
    expect(findings).toEqual([]);
    expect(fields).toMatchObject({
      Own: { schema: { fields: { key: { schema: { kind: 'integer' } } } } },
      Other: { schema: { namespace: 'u', fields: { key: { schema: { kind: 'integer' } } } } },
    });
    expect(fields.Own!.schema).not.toHaveProperty('namespace', 'u');
  });

  test('may include each other', async () => {
    write('a.xsd', `<xs:schema ${xs} targetNamespace="urn:t"><xs:include schemaLocation="b.xsd"/></xs:schema>`);
    write(
      'b.xsd',
      `<xs:schema ${xs} targetNamespace="urn:t"><xs:include schemaLocation="a.xsd"/><xs:include schemaLocation="t.wsdl"/></xs:schema>`,
    );
    const { findings, fields } = await fieldsOf(sequence(ok), included('a.xsd'));
    expect(Object.keys(fields)).toEqual(['Ok']);
    expect(findings).toEqual([]);
  });
});

describe('what the language cannot say', () => {
  test.each([
    ['a type that is not declared', '<xs:element name="X" type="t:None" minOccurs="0"/>', 'no type None is declared'],
    ['a name that FORM has not', '<xs:element name="X·Y" type="xs:int" minOccurs="0"/>', 'FORM has no such name'],
    ['an abstract element', '<xs:element ref="t:Head" minOccurs="0"/>', 'substitutionGroup'],
  ])('%s is left out with its place', async (_, element, text) => {
    const more = '<xs:element name="Head" abstract="true" type="xs:int"/>';
    const { fields, findings } = await fieldsOf(sequence(ok, element), more);
    expect(Object.keys(fields)).toEqual(['Ok']);
    expect(findings).toMatchObject([{ kind: 'refused', file: 't.wsdl', text: expect.stringContaining(text) }]);
    expect(findings[0]!.line).toBeGreaterThan(2);
    expect(findings[0]!.path).toContain('/definitions/types/schema');
  });

  test.each(['', 'maxOccurs="9"'])('a type that must contain itself (%s) may end', async (occurs) => {
    const child = `<xs:element name="Child" type="t:Tree" ${occurs}/>`;
    const choice = `<xs:choice>${child.replace('Child', 'Other')}<xs:element name="More" type="t:Tree"/></xs:choice>`;
    const tree = `<xs:complexType name="Tree"><xs:sequence>${child}${choice}${ok}</xs:sequence></xs:complexType>`;
    const { fields, findings } = await fieldsOf(sequence(ok, '<xs:element name="X" type="t:Tree"/>'), tree);
    expect(fields.X!.schema).toMatchObject({
      recursion: { levels: 32 },
      fields: { Child: { required: false }, Other: { required: false } },
      choices: [{ orNone: true }],
    });
    expect(findings).toEqual([]);
  });

  test.each([0, 1])(
    'a type with no member but itself has XML as text, where it occurs %i times at least',
    async (min) => {
      const tree = (name: string, child: string) =>
        `<xs:complexType name="${name}"><xs:sequence><xs:element name="Child" type="t:${child}" minOccurs="${min}"/></xs:sequence></xs:complexType>`;
      for (const types of [tree('Tree', 'Tree'), tree('Tree', 'Wood') + tree('Wood', 'Tree')]) {
        const element = `<xs:element name="X" type="t:Tree" minOccurs="${min}"/>`;
        const { fields, findings } = await fieldsOf(sequence(ok, element), types);
        expect(JSON.stringify(fields.X!.schema)).toContain('"markup":"content"');
        const text = expect.stringContaining('the type contains nothing but itself: its members are XML as text');
        expect(findings).toMatchObject([{ kind: 'changed', text }]);
      }
    },
  );

  test('a part that must be there takes its operation with it', async () => {
    const failed = importWsdl(write('t.wsdl', wsdl(sequence('<xs:element ref="t:None"/>'))), { allowNetwork: false });
    await expect(failed).rejects.toMatchObject({
      message: 'no operation can be imported',
      findings: [{ text: expect.stringContaining('the operation Ask is left out') }],
    });
  });
});

describe('what it says', () => {
  test('a choice is a rule of the object', async () => {
    const { choices, fields } = await fieldsOf(
      '<xs:choice><xs:element name="A" type="xs:int"/><xs:element name="B" type="xs:int"/></xs:choice>',
    );
    expect(choices).toMatchObject([{ options: [['A'], ['B']], exclusive: true }]);
    expect(Object.values(fields).map(({ required }) => required)).toEqual([false, false]);
  });

  test('a request without a member of a choice is told which ones there are', async () => {
    const choice =
      '<xs:choice><xs:element name="Mail" type="xs:string"/><xs:element name="Phone" type="xs:string"/></xs:choice>';
    const to = `<xs:element name="To"><xs:complexType><xs:sequence><xs:element name="Name" type="xs:string"/>${choice}</xs:sequence></xs:complexType></xs:element>`;
    const { service } = await importWsdl(write('t.wsdl', wsdl(sequence(to, choice))), { allowNetwork: false });
    const target = { service, version: 1, operation: service.operations.get('Ask')! };
    const media = { type: 'application/json', charset: undefined };
    const body = Buffer.from('{"To":{"Name":"Anna"}}');
    const { issues } = createProtocols([service]).json.decode(body, media, target, { query: '', headers: {} });
    expect(issues.map(({ message }) => message)).toEqual([
      'Required field To.Mail or To.Phone not specified',
      'Required field Mail or Phone not specified',
    ]);
  });

  test.each([
    [
      '<xs:maxLength value="5"/><xs:pattern value="[A-Z]{2,4}"/>',
      'string',
      { kind: 'string', max: 5, pattern: '[A-Z]{2,4}', example: 'AA' },
    ],
    ['<xs:minInclusive value="3"/><xs:maxExclusive value="10"/>', 'int', { kind: 'integer', min: 3, max: 9 }],
    [
      '<xs:totalDigits value="9"/><xs:fractionDigits value="2"/>',
      'decimal',
      { kind: 'decimal', digits: 9, fraction: 2 },
    ],
    ['<xs:enumeration value="a"/><xs:enumeration value="b"/>', 'string', { kind: 'enum', values: ['a', 'b'] }],
    ['', 'float', { kind: 'double' }],
    ['', 'unsignedByte', { kind: 'integer', min: 0, max: 255 }],
    ['<xs:maxLength value="20"/>', 'base64Binary', { kind: 'binary', max: 20 }],
  ])('%s of %s', async (facets, base, schema) => {
    const { fields } = await fieldsOf(
      sequence(
        `<xs:element name="X" minOccurs="0"><xs:simpleType><xs:restriction base="xs:${base}">${facets}</xs:restriction></xs:simpleType></xs:element>`,
      ),
    );
    expect(fields.X!.schema).toMatchObject(schema);
  });

  test('a pattern that JavaScript has not is not checked, and reported', async () => {
    const restricted =
      '<xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="\\i\\c*"/></xs:restriction></xs:simpleType>';
    const { fields, findings } = await fieldsOf(
      sequence(`<xs:element name="X" minOccurs="0">${restricted}</xs:element>`),
    );
    expect(fields.X!.schema).not.toHaveProperty('pattern');
    expect(findings).toMatchObject([{ kind: 'changed', text: 'the pattern \\i\\c* is not checked' }]);
  });
});

test('a whole message that may be nil may be empty', async () => {
  const nillable = wsdl(sequence(ok)).replace(
    /<xs:element name="AskResponse">.*<\/xs:element>\n/,
    '<xs:element name="AskResponse" type="xs:dateTime" nillable="true"/>',
  );
  const { service } = await importWsdl(write('t.wsdl', nillable), { allowNetwork: false });
  expect(service.operations.get('Ask')!.output.fields.value).toMatchObject({ required: false });
  const never = nillable.replace(' nillable="true"', '');
  const { service: control } = await importWsdl(write('t.wsdl', never), { allowNetwork: false });
  expect(control.operations.get('Ask')!.output.fields.value).toMatchObject({ required: true });
});

describe('a dateTime', () => {
  const moment = sequence('<xs:element name="At" type="xs:dateTime"/><xs:element name="Till" type="xs:dateTime"/>');
  const importMoment = (options: { readonly timeZone?: string } = {}) =>
    importWsdl(write('t.wsdl', wsdl(moment)), { allowNetwork: false, ...options });

  test.each([
    ['UTC', {}],
    ['Europe/London', { timeZone: 'Europe/London' }],
  ])('without a time zone is one of %s, which is a guess', async (zone, options) => {
    const { service, text, findings } = await importMoment(options);
    const { At: at } = service.operations.get('Ask')!.input.fields;
    expect(at?.schema).toMatchObject({ kind: 'dateTime', timeZone: zone });
    expect(text).toContain(`{ timeZone: '${zone}' }`);
    expect(findings.filter(({ text: reason }) => reason.includes('dateTime'))).toMatchObject([
      { kind: 'check', text: expect.stringContaining(`one of ${zone}`) },
    ]);
  });
});

test.each([
  { reads: undefined, effect: 'writes' },
  { reads: ['get*'], effect: 'reads' },
  { reads: ['Look', '*STOCK'], effect: 'reads' },
  { reads: ['Get'], effect: 'writes' },
  { reads: ['G.tStock', 'Get(Stock)'], effect: 'writes' },
])('GetStock $effect with --reads $reads: nothing is guessed', async ({ reads, effect }) => {
  const { service, findings } = await importWsdl(write('t.wsdl', wsdl(sequence(ok)).replaceAll('Ask', 'GetStock')), {
    allowNetwork: false,
    reads,
  });
  expect(service.operations.get('GetStock')?.effect).toBe(effect);
  expect(findings.map(({ text }) => text)).toEqual(
    effect === 'writes' ? ['GetStock writes, since --reads does not name it'] : [],
  );
});

test('each operation has a binding to edit, which the contract accepts', async () => {
  const textOf = async (content: string, name: string) =>
    (
      await importWsdl(write('t.wsdl', wsdl(content).replaceAll('Ask', name)), {
        allowNetwork: false,
        reads: ['GET*', 'Is.Ok'],
      })
    ).text;
  expect(await textOf(sequence(ok), 'GetStock')).toContain("  // upstream: { method: 'GET', path: '/get-stock' },");
  expect(await textOf(sequence(ok), 'PlaceOrder')).toContain("// upstream: { method: 'POST', path: '/place-order' },");
  const many = sequence('<xs:element name="Id" type="xs:int" maxOccurs="9"/>');
  expect(await textOf(many, 'GetStock')).toContain("// upstream: { method: 'POST', path: '/get-stock' },");
  const { service } = await importWsdl(write('t.wsdl', wsdl(sequence(ok)).replaceAll('Ask', 'GetStock')), {
    allowNetwork: false,
  });
  const imported = service.operations.get('GetStock')!;
  expect(() => operation({ ...imported, upstream: { method: 'GET', path: '/get-stock' } })).not.toThrow();
});
