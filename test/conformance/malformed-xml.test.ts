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

type Body = (write: Write, dialect: Dialect) => string | Buffer;
type Row = readonly [title: string, problem: string, reason: string, body: Body];

/** Bodies that are refused for the same reason, by their titles. */
const rows = (problem: string, reason: string, bodies: Readonly<Record<string, Body>>): readonly Row[] =>
  Object.entries(bodies).map(([title, body]) => [title, problem, reason, body]);

const doctype = (declaration: string) => (write: Write) =>
  write({ around: (envelope) => `<!DOCTYPE ${declaration}>${envelope}` });
const inside = (text: string) => (write: Write) => write({ inside: fields + text });
const email = (text: string) => (write: Write) => write({ inside: `${fields}<shopperEmail>${text}</shopperEmail>` });
const around = (wrap: (envelope: string) => string) => (write: Write) => write({ around: wrap });
const wellFormed = 'not well-formed';

const refused: readonly Row[] = [
  ...rows('undecodable', wellFormed, {
    'no bytes': () => '',
    'blanks alone': () => ' \n ',
    'text alone': () => 'merchantAccount=DemoMerchant',
    JSON: () => '{"merchantAccount":"DemoMerchant"}',
    'a doctype in the Body': (write) => write({ body: `<!DOCTYPE a>${message()}` }),
    'a doctype after the root': around((envelope) => `${envelope}<!DOCTYPE a>`),
    'an undefined entity': email('&nbsp;'),
    'a lone ampersand': email('a & b'),
    'a character reference to NUL': email('&#0;'),
    'a character reference to a control': email('&#1;'),
    'a character reference to a surrogate': email('&#xD800;'),
    'a character reference too high': email('&#x110000;'),
    'a NUL': email('\u0000'),
    'a control character': email('\u0008'),
    'U+FFFE': email('\ufffe'),
    'the end of CDATA in text': email('a]]>b'),
    'an unclosed CDATA section': email('<![CDATA['),
    'two hyphens in a comment': inside('<!-- a -- b -->'),
    'a declaration after a comment': around((envelope) => `<!-- --><?xml version="1.0"?>${envelope}`),
    'tags that cross': inside('<a><b></a></b>'),
    'an unclosed tag': inside('<a>'),
    'a truncated document': around((envelope) => envelope.slice(0, -5)),
    'two roots': around((envelope) => envelope + envelope),
    'text after the root': around((envelope) => `${envelope}x`),
    'an attribute twice': inside('<a b="1" b="2"/>'),
    'an attribute twice by its namespace': inside('<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>'),
    'an unbound prefix': inside('<p:a/>'),
    'an unquoted attribute': inside('<a b=1/>'),
    'a less-than in an attribute': inside('<a b="<"/>'),
    'a name that opens with a digit': inside('<1a/>'),
  }),
  ...rows('undecodable', 'doctype', {
    'a bare doctype': doctype('a'),
    'an external subset': doctype('a SYSTEM "http://localhost:1/x.dtd"'),
    'a public subset': doctype('a PUBLIC "-//X" "http://localhost:1/x.dtd"'),
    'an external entity': doctype('a [<!ENTITY x SYSTEM "file:///etc/passwd">]'),
    'a parameter entity': doctype('a [<!ENTITY % x "y"> %x;]'),
    'entities in entities': doctype('a [<!ENTITY a "x"><!ENTITY b "&a;&a;">]'),
    'an entity that redefines lt': doctype('a [<!ENTITY lt "x">]'),
  }),
  ...rows('undecodable', 'processing instruction', {
    'a processing instruction': inside('<?php x?>'),
    'a stylesheet': around((envelope) => `<?xml-stylesheet href="x"?>${envelope}`),
  }),
  ...rows('undecodable', 'xml version', {
    'XML 1.1': around((envelope) => `<?xml version="1.1"?>${envelope}`),
  }),
  ...rows('undecodable', 'too deep', {
    '33 levels': inside('<a>'.repeat(33) + '</a>'.repeat(33)),
    'a reference to itself': (write) =>
      write({ body: `${message(`${fields}<recurring href="#a"/>`)}<m id="a" href="#a"/>` }),
    'references in a circle': (write) =>
      write({
        body: `${message(`${fields}<recurring href="#a"/>`)}<m id="a"><x href="#b"/></m><m id="b"><y href="#a"/></m>`,
      }),
  }),
  ...rows('undecodable', 'too many attributes', {
    '33 attributes': inside(`<a ${Array.from({ length: 33 }, (_, at) => `b${at}=""`).join(' ')}/>`),
    '4,001 attributes on many elements': inside(
      `<a ${Array.from({ length: 20 }, (_, at) => `b${at}=""`).join(' ')}/>`.repeat(201),
    ),
  }),
  ...rows('undecodable', 'too many elements', {
    '2,001 elements': inside('<a/>'.repeat(2_001)),
    'references that multiply': (write) => {
      const level = (at: number) => `<m id="a${at}">${`<x href="#a${at + 1}"/>`.repeat(10)}</m>`;
      const levels = Array.from({ length: 10 }, (_, at) => level(at)).join('');
      return write({ body: `${message(`${fields}<recurring href="#a0"/>`)}${levels}<m id="a10"/>` });
    },
  }),
  ...rows('undecodable', 'name too long', {
    'a name of 257 letters': inside(`<${'a'.repeat(257)}/>`),
  }),
  ...rows('undecodable', 'text too long', {
    'a text of more than 32 KiB': email('x'.repeat(32_769)),
    'references to a long text': (write) => {
      const entries = '<entry><key>k</key><value href="#a"/></entry>'.repeat(10);
      return write({ body: `${message(`${fields}<params>${entries}</params>`)}<m id="a">${'x'.repeat(10_000)}</m>` });
    },
  }),
  ...rows('unreadable', 'not UTF-8', {
    'bytes that are not UTF-8': (write) => Buffer.concat([Buffer.from(write({})), Buffer.from([0xc0, 0xaf])]),
    'an overlong slash': (write) => Buffer.from(email('\u00c0\u00af')(write), 'latin1'),
  }),
  ...rows('unreadable', 'two byte order marks', {
    'two byte order marks': (write) => Buffer.concat([Buffer.from('\ufeff\ufeff'), Buffer.from(write({}))]),
  }),
  ...rows('undecodable', 'nil with content', {
    'nil with content': inside(
      '<recurring xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true">text</recurring>',
    ),
  }),
  ...rows('undecodable', 'root is no Envelope', {
    'another root': () => '<Enveloppe/>',
  }),
  ...rows('versionMismatch', 'wrong namespace', {
    'an unknown envelope': (write, { uri }) => write({}).replace(uri, 'urn:envelope'),
  }),
  ...rows('undecodable', 'Envelope is not one Header and one Body', {
    'no Body': (_, { uri }) => `<e:Envelope xmlns:e="${uri}"/>`,
    'two Bodies': (write) => write({ body: `${message()}</e:Body><e:Body>` }),
    'two Headers': (write) => write({ header: '<e:Header/><e:Header/>' }),
    'a Header after the Body': (write) => write({ body: `${message()}</e:Body><e:Header/><e:Body>` }),
    'an unknown element next to the Body': (write) => write({ header: '<o:x/>' }),
  }),
  ...rows('undecodable', 'text in the Envelope', {
    'text in the Envelope': (write) => write({ header: 'x' }),
  }),
  ...rows('undecodable', 'Body is not one element', {
    'an empty Body': (write) => write({ body: '' }),
    'two operations': (write) => write({ body: message() + message() }),
    'text in the Body': (write) => write({ body: `x${message()}` }),
  }),
  ...rows('unknownOperation', 'unknownOperation', {
    'an unknown operation': (write) => write({ body: `<enable xmlns="${own}"/>` }),
    'an unknown operation in another namespace': (write) => write({ body: '<o:enable/>' }),
  }),
  ...rows('undecodable', 'wrong namespace', {
    'an operation in another namespace': (write) => write({ body: '<o:disable/>' }),
    'an operation in no namespace': (write) => write({ body: '<disable/>' }),
    'a request in another namespace': (write) =>
      write({ body: message().replace('<request>', '<request xmlns="urn:other">') }),
    'a Body in another namespace': (write) => write({}).replaceAll('e:Body', 'o:Body'),
  }),
  ...rows('undecodable', 'not one request', {
    'two requests': (write) => write({ body: message().replace('</request>', '</request><request/>') }),
    'no request': (write) => write({ body: message().replaceAll('request>', 'reply>') }),
    'text next to the request': (write) => write({ body: message().replace('<request>', 'x<request>') }),
  }),
  ...rows('undecodable', 'name stands twice', {
    'an element twice': inside('<shopperReference>somebody</shopperReference>'),
    'an element twice, from two namespaces': inside(
      '<shopperReference xmlns="http://payment.services.adyen.com">somebody</shopperReference>',
    ),
    'an element twice, once in no namespace': inside('<shopperReference xmlns="">somebody</shopperReference>'),
  }),
  ...rows('structure', 'structure', {
    'an element in another namespace': inside('<o:recurring>x</o:recurring>'),
    'text between elements': inside('x'),
    'an element in a text': (write) => write({ inside: fields.replace('nobody', 'no<b/>body') }),
    'another type': (write) =>
      write({ inside: fields.replace('<shopperReference>', '<shopperReference xsi:type="o:Card">') }),
    'a binary type': (write) =>
      write({ inside: fields.replace('<shopperReference>', '<shopperReference xsi:type="o:base64Binary">') }),
    'another type of object': inside('<recurring xsi:type="o:Card"/>'),
  }),
  ...rows('unknownField', 'unknownField', {
    'an unknown element in another namespace': inside('<o:colour>x</o:colour>'),
    'an unknown element in no namespace': inside('<colour xmlns="">x</colour>'),
    'a name of every object': inside('<__proto__>x</__proto__>'),
  }),
  ...rows('undecodable', 'reference to no element', {
    'a reference to no element': inside('<recurring href="#a"/>'),
  }),
  ...rows('undecodable', 'reference out of the message', {
    'a reference out of the message': inside('<recurring href="http://localhost:1/a"/>'),
    'a reference to a part of a multipart message': (write) =>
      write({ inside: fields.replace('nobody', '<o:Include href="cid:a"/>') }),
  }),
  ...rows('undecodable', 'reference with content', {
    'a reference with content': (write) =>
      write({ body: `${message(`${fields}<recurring href="#a">x</recurring>`)}<m id="a"/>` }),
  }),
  ...rows('undecodable', 'id stands twice', {
    'an id twice': (write) => write({ body: `${message(`${fields}<recurring href="#a"/>`)}<m id="a"/><m id="a"/>` }),
  }),
  ...rows('undecodable', 'element without a reference to it', {
    'an element that nothing refers to': (write) => write({ body: `${message()}<m id="a"/>` }),
  }),
  ...rows('mustUnderstand', 'mustUnderstand', {
    'a header that must be understood': (write) =>
      write({ header: '<e:Header><o:x e:mustUnderstand="1"/></e:Header>' }),
    'a header that must be understood, in other words': (write) =>
      write({ header: '<e:Header><o:x e:mustUnderstand="true"/></e:Header>' }),
  }),
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
