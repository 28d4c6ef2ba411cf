/** XML that is refused, by kind of failure, and XML that looks odd and is taken. */
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';

const dialects = {
  soap11: {
    uri: 'http://schemas.xmlsoap.org/soap/envelope/',
    type: 'text/xml',
  },
  soap12: {
    uri: 'http://www.w3.org/2003/05/soap-envelope',
    type: 'application/soap+xml',
  },
} as const;

type Dialect = (typeof dialects)[keyof typeof dialects];

const own = 'http://recurring.services.adyen.com';
const fields = '<merchantAccount>DemoMerchant</merchantAccount><shopperReference>nobody</shopperReference>';
const message = (inside = fields) =>
  `<listRecurringDetails xmlns="${own}"><request>${inside}</request></listRecurringDetails>`;

/** A request in the dialect's own envelope: `e` is its prefix. */
type Write = (parts: {
  around?: (envelope: string) => string;
  header?: string;
  body?: string;
  inside?: string;
}) => string;

const writing =
  ({ uri }: Dialect): Write =>
  ({ around = (envelope) => envelope, header = '', body, inside }) =>
    around(
      `<e:Envelope xmlns:e="${uri}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:o="urn:other">` +
        `${header}<e:Body>${body ?? message(inside)}</e:Body></e:Envelope>`,
    );

type Row = readonly [
  title: string,
  problem: string,
  reason: string,
  body: (write: Write, dialect: Dialect) => string | Buffer,
];

const doctype = (declaration: string) => (write: Write) =>
  write({ around: (envelope) => `<!DOCTYPE ${declaration}>${envelope}` });
const inside = (text: string) => (write: Write) => write({ inside: fields + text });
const email = (text: string) => (write: Write) => write({ inside: `${fields}<shopperEmail>${text}</shopperEmail>` });
const around = (wrap: (envelope: string) => string) => (write: Write) => write({ around: wrap });
const wellFormed = 'not well-formed';

const refused: readonly Row[] = [
  ['no bytes', 'undecodable', wellFormed, () => ''],
  ['blanks alone', 'undecodable', wellFormed, () => ' \n '],
  ['text alone', 'undecodable', wellFormed, () => 'merchantAccount=DemoMerchant'],
  ['JSON', 'undecodable', wellFormed, () => '{"merchantAccount":"DemoMerchant"}'],
  ['a bare doctype', 'undecodable', 'doctype', doctype('a')],
  ['an external subset', 'undecodable', 'doctype', doctype('a SYSTEM "http://localhost:1/x.dtd"')],
  ['a public subset', 'undecodable', 'doctype', doctype('a PUBLIC "-//X" "http://localhost:1/x.dtd"')],
  ['an external entity', 'undecodable', 'doctype', doctype('a [<!ENTITY x SYSTEM "file:///etc/passwd">]')],
  ['a parameter entity', 'undecodable', 'doctype', doctype('a [<!ENTITY % x "y"> %x;]')],
  ['entities in entities', 'undecodable', 'doctype', doctype('a [<!ENTITY a "x"><!ENTITY b "&a;&a;">]')],
  ['an entity that redefines lt', 'undecodable', 'doctype', doctype('a [<!ENTITY lt "x">]')],
  ['a doctype in the Body', 'undecodable', wellFormed, (write) => write({ body: `<!DOCTYPE a>${message()}` })],
  ['a doctype after the root', 'undecodable', wellFormed, around((envelope) => `${envelope}<!DOCTYPE a>`)],
  ['an undefined entity', 'undecodable', wellFormed, email('&nbsp;')],
  ['a lone ampersand', 'undecodable', wellFormed, email('a & b')],
  ['a character reference to NUL', 'undecodable', wellFormed, email('&#0;')],
  ['a character reference to a control', 'undecodable', wellFormed, email('&#1;')],
  ['a character reference to a surrogate', 'undecodable', wellFormed, email('&#xD800;')],
  ['a character reference too high', 'undecodable', wellFormed, email('&#x110000;')],
  ['a NUL', 'undecodable', wellFormed, email('\u0000')],
  ['a control character', 'undecodable', wellFormed, email('\u0008')],
  ['U+FFFE', 'undecodable', wellFormed, email('\ufffe')],
  ['the end of CDATA in text', 'undecodable', wellFormed, email('a]]>b')],
  ['an unclosed CDATA section', 'undecodable', wellFormed, email('<![CDATA[')],
  ['two hyphens in a comment', 'undecodable', wellFormed, inside('<!-- a -- b -->')],
  ['a processing instruction', 'undecodable', 'processing instruction', inside('<?php x?>')],
  [
    'a stylesheet',
    'undecodable',
    'processing instruction',
    around((envelope) => `<?xml-stylesheet href="x"?>${envelope}`),
  ],
  ['a declaration after a blank', 'undecodable', wellFormed, around((envelope) => ` <?xml version="1.0"?>${envelope}`)],
  ['XML 1.1', 'undecodable', 'xml version', around((envelope) => `<?xml version="1.1"?>${envelope}`)],
  ['tags that cross', 'undecodable', wellFormed, inside('<a><b></a></b>')],
  ['an unclosed tag', 'undecodable', wellFormed, inside('<a>')],
  ['a truncated document', 'undecodable', wellFormed, around((envelope) => envelope.slice(0, -5))],
  ['two roots', 'undecodable', wellFormed, around((envelope) => envelope + envelope)],
  ['text after the root', 'undecodable', wellFormed, around((envelope) => `${envelope}x`)],
  ['an attribute twice', 'undecodable', wellFormed, inside('<a b="1" b="2"/>')],
  [
    'an attribute twice by its namespace',
    'undecodable',
    wellFormed,
    inside('<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>'),
  ],
  ['an unbound prefix', 'undecodable', wellFormed, inside('<p:a/>')],
  ['an unquoted attribute', 'undecodable', wellFormed, inside('<a b=1/>')],
  ['a less-than in an attribute', 'undecodable', wellFormed, inside('<a b="<"/>')],
  ['a name that opens with a digit', 'undecodable', wellFormed, inside('<1a/>')],
  ['33 levels', 'undecodable', 'too deep', inside('<a>'.repeat(33) + '</a>'.repeat(33))],
  [
    '33 attributes',
    'undecodable',
    'too many attributes',
    inside(`<a ${Array.from({ length: 33 }, (_, at) => `b${at}=""`).join(' ')}/>`),
  ],
  [
    '4,001 attributes on many elements',
    'undecodable',
    'too many attributes',
    inside(`<a ${Array.from({ length: 20 }, (_, at) => `b${at}=""`).join(' ')}/>`.repeat(201)),
  ],
  ['2,001 elements', 'undecodable', 'too many elements', inside('<a/>'.repeat(2_001))],
  ['a name of 257 letters', 'undecodable', 'name too long', inside(`<${'a'.repeat(257)}/>`)],
  ['a text of more than 32 KiB', 'undecodable', 'text too long', email('x'.repeat(32_769))],
  [
    'bytes that are not UTF-8',
    'unreadable',
    'not UTF-8',
    (write) => Buffer.concat([Buffer.from(write({})), Buffer.from([0xc0, 0xaf])]),
  ],
  ['an overlong slash', 'unreadable', 'not UTF-8', (write) => Buffer.from(email('\u00c0\u00af')(write), 'latin1')],
  [
    'two byte order marks',
    'unreadable',
    'two byte order marks',
    (write) => Buffer.concat([Buffer.from('\ufeff\ufeff'), Buffer.from(write({}))]),
  ],
  [
    'nil with content',
    'undecodable',
    'nil with content',
    inside('<recurring xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true">text</recurring>'),
  ],
  ['another root', 'undecodable', 'root is no Envelope', () => '<Enveloppe/>'],
  [
    'an unknown envelope',
    'versionMismatch',
    'wrong namespace',
    (write, { uri }) => write({}).replace(uri, 'urn:envelope'),
  ],
  [
    'no Body',
    'undecodable',
    'Envelope is not one Header and one Body',
    (_, { uri }) => `<e:Envelope xmlns:e="${uri}"/>`,
  ],
  [
    'two Bodies',
    'undecodable',
    'Envelope is not one Header and one Body',
    (write) => write({ body: `${message()}</e:Body><e:Body>` }),
  ],
  [
    'two Headers',
    'undecodable',
    'Envelope is not one Header and one Body',
    (write) => write({ header: '<e:Header/><e:Header/>' }),
  ],
  [
    'a Header after the Body',
    'undecodable',
    'Envelope is not one Header and one Body',
    (write) => write({ body: `${message()}</e:Body><e:Header/><e:Body>` }),
  ],
  [
    'an unknown element next to the Body',
    'undecodable',
    'Envelope is not one Header and one Body',
    (write) => write({ header: '<o:x/>' }),
  ],
  ['text in the Envelope', 'undecodable', 'text in the Envelope', (write) => write({ header: 'x' })],
  ['an empty Body', 'undecodable', 'Body is not one element', (write) => write({ body: '' })],
  ['two operations', 'undecodable', 'Body is not one element', (write) => write({ body: message() + message() })],
  ['text in the Body', 'undecodable', 'Body is not one element', (write) => write({ body: `x${message()}` })],
  [
    'an unknown operation',
    'unknownOperation',
    'unknownOperation',
    (write) => write({ body: `<enable xmlns="${own}"/>` }),
  ],
  ['an operation in another namespace', 'undecodable', 'wrong namespace', (write) => write({ body: '<o:disable/>' })],
  ['an operation in no namespace', 'undecodable', 'wrong namespace', (write) => write({ body: '<disable/>' })],
  [
    'an unknown operation in another namespace',
    'unknownOperation',
    'unknownOperation',
    (write) => write({ body: '<o:enable/>' }),
  ],
  [
    'a request in another namespace',
    'undecodable',
    'wrong namespace',
    (write) => write({ body: message().replace('<request>', '<request xmlns="urn:other">') }),
  ],
  [
    'a Body in another namespace',
    'undecodable',
    'wrong namespace',
    (write) => write({}).replaceAll('e:Body', 'o:Body'),
  ],
  [
    'two requests',
    'undecodable',
    'not one request',
    (write) => write({ body: message().replace('</request>', '</request><request/>') }),
  ],
  [
    'no request',
    'undecodable',
    'not one request',
    (write) => write({ body: message().replaceAll('request>', 'reply>') }),
  ],
  [
    'text next to the request',
    'undecodable',
    'not one request',
    (write) => write({ body: message().replace('<request>', 'x<request>') }),
  ],
  ['an element twice', 'undecodable', 'name stands twice', inside('<shopperReference>somebody</shopperReference>')],
  [
    'an element twice, from two namespaces',
    'undecodable',
    'name stands twice',
    inside('<shopperReference xmlns="http://payment.services.adyen.com">somebody</shopperReference>'),
  ],
  ['an element in another namespace', 'structure', 'structure', inside('<o:recurring>x</o:recurring>')],
  ['an unknown element in another namespace', 'unknownField', 'unknownField', inside('<o:colour>x</o:colour>')],
  ['an unknown element in no namespace', 'unknownField', 'unknownField', inside('<colour xmlns="">x</colour>')],
  [
    'an element twice, once in no namespace',
    'undecodable',
    'name stands twice',
    inside('<shopperReference xmlns="">somebody</shopperReference>'),
  ],
  ['a name of every object', 'unknownField', 'unknownField', inside('<__proto__>x</__proto__>')],
  ['text between elements', 'structure', 'structure', inside('x')],
  [
    'an element in a text',
    'structure',
    'structure',
    (write) => write({ inside: fields.replace('nobody', 'no<b/>body') }),
  ],
  [
    'another type',
    'structure',
    'structure',
    (write) => write({ inside: fields.replace('<shopperReference>', '<shopperReference xsi:type="o:Card">') }),
  ],
  [
    'a binary type',
    'structure',
    'structure',
    (write) => write({ inside: fields.replace('<shopperReference>', '<shopperReference xsi:type="o:base64Binary">') }),
  ],
  ['a reference to no element', 'undecodable', 'reference to no element', inside('<recurring href="#a"/>')],
  [
    'a reference out of the message',
    'undecodable',
    'reference out of the message',
    inside('<recurring href="http://localhost:1/a"/>'),
  ],
  [
    'a reference to a part of a multipart message',
    'undecodable',
    'reference out of the message',
    (write) => write({ inside: fields.replace('nobody', '<o:Include href="cid:a"/>') }),
  ],
  [
    'a reference with content',
    'undecodable',
    'reference with content',
    (write) => write({ body: `${message(`${fields}<recurring href="#a">x</recurring>`)}<m id="a"/>` }),
  ],
  [
    'a reference to itself',
    'undecodable',
    'too deep',
    (write) => write({ body: `${message(`${fields}<recurring href="#a"/>`)}<m id="a" href="#a"/>` }),
  ],
  [
    'references in a circle',
    'undecodable',
    'too deep',
    (write) =>
      write({
        body: `${message(`${fields}<recurring href="#a"/>`)}<m id="a"><x href="#b"/></m><m id="b"><y href="#a"/></m>`,
      }),
  ],
  [
    'references that multiply',
    'undecodable',
    'too many elements',
    (write) => {
      const level = (at: number) => `<m id="a${at}">${`<x href="#a${at + 1}"/>`.repeat(10)}</m>`;
      const levels = Array.from({ length: 10 }, (_, at) => level(at)).join('');
      return write({ body: `${message(`${fields}<recurring href="#a0"/>`)}${levels}<m id="a10"/>` });
    },
  ],
  [
    'references to a long text',
    'undecodable',
    'text too long',
    (write) => {
      const entries = '<entry><key>k</key><value href="#a"/></entry>'.repeat(10);
      return write({ body: `${message(`${fields}<params>${entries}</params>`)}<m id="a">${'x'.repeat(10_000)}</m>` });
    },
  ],
  [
    'an id twice',
    'undecodable',
    'id stands twice',
    (write) => write({ body: `${message(`${fields}<recurring href="#a"/>`)}<m id="a"/><m id="a"/>` }),
  ],
  [
    'an element that nothing refers to',
    'undecodable',
    'element without a reference to it',
    (write) => write({ body: `${message()}<m id="a"/>` }),
  ],
  ['another type of object', 'structure', 'structure', inside('<recurring xsi:type="o:Card"/>')],
  [
    'a header that must be understood',
    'mustUnderstand',
    'mustUnderstand',
    (write) => write({ header: '<e:Header><o:x e:mustUnderstand="1"/></e:Header>' }),
  ],
  [
    'a header that must be understood, in other words',
    'mustUnderstand',
    'mustUnderstand',
    (write) => write({ header: '<e:Header><o:x e:mustUnderstand="true"/></e:Header>' }),
  ],
];

/** A request of a stub that encodes: `request` is an element outside the message. */
const encoded = (request: string, referenced: string) =>
  `<o:listRecurringDetails xmlns:o="${own}">${request}</o:listRecurringDetails>${referenced}`;

const utf16 = (text: string, mark: 'little' | 'big'): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return mark === 'little' ? bytes : bytes.swap16();
};

type Taken = readonly [title: string, body: (write: Write) => string | Buffer];

const taken: readonly Taken[] = [
  ['a plain request', (write) => write({})],
  ['a byte order mark', (write) => `\ufeff${write({})}`],
  ['UTF-16, little end first', (write) => utf16(`<?xml version="1.0" encoding="UTF-16"?>${write({})}`, 'little')],
  ['UTF-16, big end first', (write) => utf16(write({}), 'big')],
  [
    'a declaration with an encoding',
    around((envelope) => `<?xml version='1.0' encoding="utf-8" standalone="yes"?>\n${envelope}`),
  ],
  [
    'comments everywhere',
    (write) => write({ header: '<!-- a -->', inside: `<!-- b -->${fields.replace('nobody', 'no<!--c-->body')}` }),
  ],
  ['CDATA', (write) => write({ inside: fields.replace('nobody', '<![CDATA[no]]>body') })],
  ['character references', (write) => write({ inside: fields.replace('nobody', '&#110;&#x6F;body') })],
  ['an empty Header', (write) => write({ header: '<e:Header/>' })],
  [
    'a header that need not be understood',
    (write) => write({ header: '<e:Header><o:x/><o:y e:mustUnderstand="0"/></e:Header>' }),
  ],
  [
    'a header for an intermediary',
    (write) => write({ header: '<e:Header><o:x e:mustUnderstand="1" e:actor="urn:b" e:role="urn:b"/></e:Header>' }),
  ],
  [
    'types named',
    (write) =>
      write({ inside: fields.replace('<shopperReference>', '<shopperReference xmlns:s="x" xsi:type="s:string">') }),
  ],
  [
    'an attribute that means nothing',
    (write) => write({ inside: fields.replace('<shopperReference>', '<shopperReference o:x="1">') }),
  ],
  ['elements without a namespace', (write) => write({ inside: fields.replaceAll(/<(\w+)>/g, '<$1 xmlns="">') })],
  [
    'a message of Axis that encodes',
    (write) =>
      write({
        body: encoded(
          '<request href="#id0"/>',
          `<multiRef id="id0" e:root="0" xsi:type="o:RecurringDetailsRequest">${fields.replace('<shopperReference>nobody', '<shopperReference href="#id1">')}</multiRef>` +
            '<multiRef id="id1" xsi:type="xsd:string">nobody</multiRef>',
        ),
      }),
  ],
  [
    'a message of .NET that encodes',
    (write) =>
      write({
        body: encoded(
          '<request href="#id1"/>',
          `<o:RecurringDetailsRequest id="id1" xsi:type="o:RecurringDetailsRequest">${fields}</o:RecurringDetailsRequest>`,
        ),
      }),
  ],
  [
    'an element that two others refer to',
    (write) =>
      write({
        body: encoded(`<request>${fields}<a href="#a"/><b href="#a"/></request>`, '<c-gensym9 id="a"><c/></c-gensym9>'),
      }),
  ],
  [
    'the references of SOAP 1.2',
    (write) =>
      write({
        body: encoded(
          '<request x:ref="a" xmlns:x="http://www.w3.org/2003/05/soap-encoding"/>',
          `<m x:id="a" xmlns:x="http://www.w3.org/2003/05/soap-encoding">${fields}</m>`,
        ),
      }),
  ],
  [
    'a link that means nothing',
    (write) => write({ inside: fields.replace('<shopperReference>', '<shopperReference href="http://localhost:1/">') }),
  ],
  ...['int', 'long', 'float', 'boolean', 'dateTime', 'anyURI'].map(
    (type): Taken => [
      `the type ${type} on a text`,
      (write) => write({ inside: fields.replace('<shopperReference>', `<shopperReference xsi:type="xsd:${type}">`) }),
    ],
  ),
  ['an empty element in another namespace', inside('<o:recurring/>')],
  ['an empty name of every object', inside('<__proto__/>')],
  ['members of version 1', inside('<customReference>c</customReference><reference>r</reference>')],
  [
    'an array of no size',
    (write) =>
      write({ inside: fields.replace('<shopperReference>', '<shopperReference o:arrayType="x[2147483647]">') }),
  ],
  [
    'another encoding style',
    (write) => write({}).replace('<e:Body>', '<e:Body e:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">'),
  ],
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const post = (dialect: Dialect, body: string | Buffer, headers = {}, path = '/pal/servlet/Recurring/v25') =>
  gateway.ask({ path, headers: { 'content-type': dialect.type, ...callers.demo, ...headers }, body });

/** Problems with one status in both dialects, whatever they say of the sender. */
const sameStatuses: Readonly<Record<string, number>> = {
  mustUnderstand: 500,
  versionMismatch: 500,
};

describe.each(Object.entries(dialects))('%s', (name, dialect) => {
  const write = writing(dialect);

  test.each(refused)('refused: %s', async (_, problem, reason, body) => {
    const { message, entry } = await post(dialect, body(write, dialect));
    expect([entry.outcome, entry.problem?.reason]).toEqual([problem, reason]);
    expect(message.status).toBe(sameStatuses[problem] ?? (name === 'soap11' ? 500 : 400));
    expect(message.body.length).toBeLessThan(1_024);
    expect(message.body).toMatch(/^<\?xml .*<\w+:Fault>.*validation (702|000) .*<\/\w+:Envelope>$/);
  });

  test.each(taken)('taken: %s', async (_, body) => {
    const { message, entry } = await post(dialect, body(write));
    expect([entry.outcome, message.status]).toEqual(['ok', 200]);
    expect(message.body).toContain('<details/>');
  });

  test('SOAPAction does not choose the operation', async () => {
    const { entry } = await post(dialect, write({}), { soapaction: '"disable"' });
    expect(entry.operation).toBe('listRecurringDetails');
  });

  test('a path that names another operation than the Body is refused', async () => {
    const { entry } = await post(dialect, write({}), {}, '/pal/servlet/Recurring/v25/disable');
    expect(entry.problem?.reason).toBe('path and body disagree');
  });

  test('SOAP has its own codes for what it rules', async () => {
    const prefix = name === 'soap11' ? 'soap' : 'env';
    const other = await post(dialect, write({}).replace(dialect.uri, 'urn:envelope'));
    expect(other.message.body).toContain(`>${prefix}:VersionMismatch<`);
    const header = await post(dialect, write({ header: '<e:Header><o:x e:mustUnderstand="1"/></e:Header>' }));
    expect(header.message.body).toContain(`>${prefix}:MustUnderstand<`);
  });
});
