/** Imports WSDLs that are small and mean very much: each has a limit, and a finding or an error that names its place. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { partsIn } from '../../src/core/contract/walk.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { Unread } from '../../src/readers/wsdl/read-location.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { isNightly } from '../support/nightly.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
});
afterAll(() => folder.discard());

const xs = 'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"';

/** A WSDL with the operation Ask, whose input has the content. `more`: other parts of its schema; `schemas`: other schemas. */
const wsdl = (content: string, more = '', schemas = '') => `<definitions name="T" targetNamespace="urn:t" ${xs}
 xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"><types>
<xs:schema targetNamespace="urn:t" elementFormDefault="qualified">${more}
<xs:element name="Ask"><xs:complexType>${content}</xs:complexType></xs:element>
<xs:element name="AskResponse"><xs:complexType><xs:sequence/></xs:complexType></xs:element>
</xs:schema>${schemas}</types><message name="i"><part name="p" element="t:Ask"/></message><message name="o"><part name="p" element="t:AskResponse"/></message>
<portType name="T"><operation name="Ask"><input message="t:i"/><output message="t:o"/></operation></portType>
<binding name="B" type="t:T"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Ask">
<input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
<service name="T"><port name="P" binding="t:B"><soap:address location="http://t.example/t"/></port></service></definitions>`;

const write = (name: string, text: string): string => {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
};

async function importText(text: string) {
  const imported = await importWsdl(write('t.wsdl', text), { allowNetwork: false });
  const { fields } = imported.service.operations.get('Ask')!.input;
  // Documents and messages of the contract are in bounds, too.
  deriveWsdl(imported.service, { address: 'http://t.example/t', soap12: true });
  return { ...imported, fields, findings: imported.findings.filter(({ kind }) => kind !== 'check') };
}

const times = (count: number, print: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => print(at)).join('');
const sequence = (content: string) => `<xs:sequence>${content}</xs:sequence>`;
const type = (name: string, content: string) => `<xs:complexType name="${name}">${sequence(content)}</xs:complexType>`;
const element = (name: string, of: string, more = '') =>
  `<xs:element name="${name}" type="${of}" minOccurs="0" ${more}/>`;
const restricted = (facets: string) =>
  `<xs:element name="A" minOccurs="0"><xs:simpleType><xs:restriction base="xs:string">${facets}</xs:restriction></xs:simpleType></xs:element>`;
const ok = element('Ok', 'xs:int');

describe('a part is left out, with its place', () => {
  test.each([
    [
      'types in types',
      sequence(ok + element('A', 't:T0')),
      times(5_000, (at) => type(`T${at}`, at < 4_999 ? element('A', `t:T${at + 1}`) : ok)),
      'types are more than 100 deep in each other: A is XML as text',
    ],
    [
      'arrays of arrays',
      sequence(ok + element('A', 't:T0')),
      times(5_000, (at) => type(`T${at}`, element('A', `t:T${at + 1}`, 'maxOccurs="9"'))),
      'types are more than 100 deep in each other: A is XML as text',
    ],
    [
      'types that extend types',
      sequence(ok + element('A', 't:T0')),
      times(
        3_000,
        (at) =>
          `<xs:complexType name="T${at}"><xs:complexContent><xs:extension base="t:T${at + 1}"/></xs:complexContent></xs:complexType>`,
      ),
      'the type extends itself, or more than 16 others',
    ],
    [
      'groups in groups',
      sequence(
        `${ok}<xs:element name="A" minOccurs="0"><xs:complexType>${'<xs:sequence>'.repeat(40)}${'</xs:sequence>'.repeat(40)}</xs:complexType></xs:element>`,
      ),
      '',
      'groups are more than 16 deep',
    ],
    [
      'a type with many members',
      sequence(times(5_002, (at) => element(`A${at}`, 'xs:int'))),
      '',
      'a type has more than 5000 members',
    ],
    [
      'a text that is longer than any',
      sequence(ok + restricted('<xs:minLength value="999999999"/>')),
      '',
      'a text has 16777216 characters at most',
    ],
  ])('%s', async (_, content, more, reason) => {
    const { fields, findings } = await importText(wsdl(content, more));
    expect(Object.keys(fields).length).toBeGreaterThan(0);
    expect(findings).toContainEqual(
      expect.objectContaining({
        kind: reason.endsWith('as text') ? 'changed' : 'refused',
        text: expect.stringContaining(reason),
        path: expect.stringMatching(
          /^\/definitions\/types\/schema\[@targetNamespace="urn:t"\]\/(?:complexType|element)/,
        ),
      }),
    );
  });
});

describe('types that extend others', () => {
  const extended = (name: string, base: string, content: string) =>
    `<xs:complexType name="${name}"><xs:complexContent><xs:extension base="t:${base}">${sequence(content)}</xs:extension></xs:complexContent></xs:complexType>`;
  const hierarchies =
    type('Base', ok) +
    times(10, (at) =>
      extended(
        `Large${at}`,
        'Base',
        times(450, (each) => element(`M${each}`, 'xs:int')),
      ),
    ) +
    type('Small', ok) +
    extended('Smaller', 'Small', element('More', 'xs:int'));
  const places = (count: number) =>
    sequence(element('S', 't:Small') + times(count, (at) => element(`A${at}`, 't:Base')));

  test('stand in its place, whatever their number', async () => {
    const { fields, findings } = await importText(wsdl(places(300), hierarchies));
    expect(fields.A299!.schema).toMatchObject({ variants: { length: 10 } });
    expect(fields.A299!.schema).toBe(fields.A0!.schema);
    expect(fields.S!.schema).toMatchObject({ variants: [{ name: 'Smaller' }] });
    expect(findings).toEqual([]);
  });

  test('are refused with the members that need them, and others are read', async () => {
    const broken = extended('Broken', 'Base', '<xs:element ref="t:None"/>');
    const { fields, findings } = await importText(wsdl(places(2), hierarchies + broken));
    expect(fields.A1!.schema).toMatchObject({ variants: { length: 10 } });
    expect(findings).toMatchObject([
      { kind: 'refused', text: expect.stringMatching(/^no element None .*; Broken is refused in place of Base$/) },
    ]);
  });

  test('are read once in a type that contains itself', async () => {
    const deep = `${'<xs:sequence>'.repeat(14)}${ok}${'</xs:sequence>'.repeat(14)}`;
    const doubled = times(15, (at) =>
      type(`D${at}`, element('A', `t:D${at + 1}`) + element('B', `t:D${at + 1}`)),
    ).concat(`<xs:complexType name="D15">${deep}</xs:complexType>`);
    const around = type('R', element('Self', 't:R') + element('D', 't:D0')) + extended('V', 'R', ok);
    const { fields } = await importText(wsdl(sequence(element('R', 't:R')), doubled + around));
    expect(fields).toHaveProperty('R');
  });
});

describe('a type is read once, however often others name it', () => {
  const doubled = (end: string) =>
    times(40, (at) => type(`T${at}`, at < 39 ? element('A', `t:T${at + 1}`) + element('B', `t:T${at + 1}`) : end));

  test('and so are its documents and examples', async () => {
    const { service, fields, findings } = await importText(wsdl(sequence(ok + element('A', 't:T0')), doubled(ok)));
    expect(findings).toEqual([]);
    expect(partsIn(fields.A!.schema).length).toBeLessThan(150);
    const { input } = service.operations.get('Ask')!;
    expect(JSON.stringify(exampleOf(input, 'full')).length).toBeLessThan(10_000_000);
    for (const { encodeRequest } of Object.values(createProtocols([service])).slice(0, 3))
      expect(encodeRequest(service, service.operations.get('Ask')!, { Ok: 1 }).body.length).toBeLessThan(100_000);
  });

  test('or refused once', async () => {
    const { fields, findings } = await importText(
      wsdl(sequence(ok + element('A', 't:T0')), doubled('<xs:element ref="t:None"/>')),
    );
    expect(Object.keys(fields)).toEqual(['Ok', 'A']);
    expect(findings).toMatchObject([
      { kind: 'refused', text: 'no element None is declared in urn:t; element A is left out' },
      { kind: 'refused', text: 'no element None is declared in urn:t; element B is left out' },
    ]);
  });
});

describe('a rule is not checked, with its place', () => {
  test.each([
    [
      'a pattern with groups in groups',
      `<xs:pattern value="${'('.repeat(900)}a${')'.repeat(900)}"/>`,
      'is not checked: its groups are nested too deep',
    ],
    [
      'a long pattern',
      `<xs:pattern value="${'('.repeat(100_000)}a${')'.repeat(100_000)}"/>`,
      'is not checked: it is too long',
    ],
    ['a pattern of many', times(5_000, (at) => `<xs:pattern value="a${at}"/>`), 'is not checked: it is too long'],
    [
      'a pattern that takes long',
      '<xs:pattern value="(a+)+b"/>',
      'the pattern (a+)+b is not checked: to match a text may take too long',
    ],
    [
      'an enumeration of many',
      times(130_000, (at) => `<xs:enumeration value="${at}"/>`),
      'an enumeration of more than 10000 values is a text',
    ],
  ])('%s', async (_, facets, reason) => {
    const { fields, findings } = await importText(wsdl(sequence(ok + restricted(facets))));
    // A text without a pattern may be longer.
    expect(fields.A!.schema).toMatchObject({ kind: 'string', example: 'text' });
    expect(fields.A!.schema).not.toHaveProperty('pattern');
    expect(findings).toMatchObject([{ kind: 'changed', path: expect.stringContaining('/element[@name="A"]') }]);
    expect(findings[0]!.text).toContain(reason);
    expect(findings[0]!.text.length).toBeLessThan(300);
  });

  test('more patterns than documents have', async () => {
    const { findings } = await importText(
      wsdl(sequence(times(2_001, (at) => restricted(`<xs:pattern value="a{${at + 1}}"/>`).replace('"A"', `"A${at}"`)))),
    );
    expect(findings).toMatchObject([{ text: 'the pattern a{2001} is not checked: the documents have more than 2000' }]);
  });

  test('a number of items that no message has', async () => {
    const { fields } = await importText(
      wsdl(sequence(ok + element('A', 'xs:int', 'maxOccurs="99999999999999999999"'))),
    );
    expect(fields.A!.schema).toMatchObject({ kind: 'list', max: 2 ** 31 - 1 });
  });
});

describe('nothing is imported, and the last finding has the place', () => {
  const groups = (kind: 'group' | 'attributeGroup', around: (content: string) => string) =>
    times(
      7,
      (at) =>
        `<xs:${kind} name="G${at}">${around(at < 6 ? `<xs:${kind} ref="t:G${at + 1}"/>`.repeat(20) : '')}</xs:${kind}>`,
    );

  test.each([
    ['groups', sequence(`${ok}<xs:group ref="t:G0"/>`), groups('group', sequence)],
    [
      'groups of attributes',
      `${sequence(ok)}<xs:attributeGroup ref="t:G0"/>`,
      groups('attributeGroup', (content) => content),
    ],
  ])('%s that name each other many times', async (_, content, more) => {
    const failed = await importText(wsdl(content, more)).catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(Unread);
    const { message, findings } = failed as Unread;
    expect(message).toBe('no operation can be imported');
    expect(findings.at(-1)).toMatchObject({
      text: expect.stringMatching(
        /^types and groups name each other too often: more than 500000 parts; the operation \w+ is left out$/,
      ),
      path: expect.stringContaining('/definitions/types/schema'),
    });
  });

  test('operations before the one that is beyond the bound of parts are imported', async () => {
    const more = times(
      7,
      (at) =>
        `<xs:group name="G${at}">${sequence(at < 6 ? `<xs:group ref="t:G${at + 1}"/>`.repeat(20) : ok)}</xs:group>`,
    );
    const huge = '<xs:element name="Huge"><xs:complexType><xs:group ref="t:G0"/></xs:complexType></xs:element>';
    const text = wsdl(sequence(ok), more + huge)
      .replace('<portType', '<message name="h"><part name="p" element="t:Huge"/></message><portType')
      .replace('</portType>', '<operation name="Huge"><input message="t:h"/></operation></portType>')
      .replace('</binding>', '<operation name="Huge"><input><soap:body use="literal"/></input></operation></binding>');
    const { service, findings } = await importText(text);
    expect([...service.operations.keys()]).toEqual(['Ask']);
    expect(findings.at(-1)?.text).toBe(
      'types and groups name each other too often: more than 500000 parts; the operation Huge is left out',
    );
  });

  test('prefixes in elements in elements', async () => {
    const open = times(80, (depth) => `<documentation ${times(60, (at) => `xmlns:p${depth}-${at}="u" `)}>`);
    const many = `${open}${'<a xmlns:b="c"/>'.repeat(5_000)}${'</documentation>'.repeat(80)}`;
    await expect(importText(wsdl(sequence(ok)).replace('<portType', `${many}<portType`))).rejects.toThrow(
      /^t\.wsdl:\d+:\d+: too many prefixes$/,
    );
  });
});

test('a schema without a namespace counts for each namespace that includes it', async () => {
  write(
    'common.xsd',
    `<xs:schema ${xs}>${times(10_000, (at) => `<xs:element name="e${at}" type="xs:int"/>`)}</xs:schema>`,
  );
  const schemas = times(
    60,
    (at) => `<xs:schema targetNamespace="urn:n${at}"><xs:include schemaLocation="common.xsd"/></xs:schema>`,
  );
  const { findings } = await importText(wsdl(sequence(ok), '', schemas));
  expect(findings).toMatchObject([
    { kind: 'refused', file: 'common.xsd', text: 'with it the schemas would have more than 500000 declarations' },
  ]);
});

test('documents that each include the next one are 200 at most', async () => {
  for (let at = 0; at < 250; at++)
    write(
      `chain${at}.xsd`,
      `<xs:schema targetNamespace="urn:t" ${xs}><xs:include schemaLocation="chain${at + 1}.xsd"/></xs:schema>`,
    );
  const { findings } = await importText(wsdl(sequence(ok), '<xs:include schemaLocation="chain0.xsd"/>'));
  expect(findings).toMatchObject([{ file: 'chain198.xsd', text: 'not read: more than 200 documents' }]);
});

test('findings end with one that says so', async () => {
  const { findings } = await importText(wsdl(sequence(ok + '<xs:element ref="t:None" minOccurs="0"/>'.repeat(6_000))));
  expect(findings).toHaveLength(5_001);
  expect(findings.at(-1)).toMatchObject({
    path: expect.stringContaining('t:None'),
    text: 'more than 5000 findings; this one and others are not listed',
  });
});

test('values that mean nothing are left out or refused, and nothing else fails', async () => {
  const values = ['-5', '1.5', '1e400', '', '__proto__', 'constructor:x', ':'];
  const document = readFileSync(join(import.meta.dirname, '../wsdl/every-part.wsdl'), 'utf8');
  let imported = 0;
  // The nightly run tries each value in each place.
  for (const [at, { 0: found, index }] of [...document.matchAll(/(?<==")[^"]*(?=")/g)].entries())
    for (const value of isNightly ? values : [values[at % values.length]!]) {
      const text = document.slice(0, index) + value + document.slice(index + found.length);
      try {
        await importWsdl(write('odd.wsdl', text), { allowNetwork: false });
        imported += 1;
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(Unread);
      }
    }
  expect(imported).toBeGreaterThan(isNightly ? 500 : 70);
});
