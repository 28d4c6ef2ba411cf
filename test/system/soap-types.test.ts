/** Types of XML Schema through a contract that is imported, in front of a server that answers with what it was sent, or as it is told. */
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { listenLocally } from '../support/listen-locally.ts';

const fileOf = (name: string) => join(import.meta.dirname, `../wsdl/${name}.wsdl`);
const namespace = 'urn:types';
const soap11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const xsi = 'http://www.w3.org/2001/XMLSchema-instance';

let server: Server;
let gateway: RunningGateway;
let origin: string;
/** The Bodies that the server got. */
const received: string[] = [];
/** What the server answers next, in place of what it was sent. */
let told: string | undefined;

const bodyIn = (envelope: string) => /<(\w+):Body[^>]*>(.*)<\/\1:Body>/s.exec(envelope)?.[2] ?? '';

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const envelope = await text(request);
    received.push(bodyIn(envelope));
    const answer = told ?? envelope.replace(/(<\/?(?:\w+:)?Echo(?:[A-Z]\w+)?)(?=[ />])/g, '$1Response');
    told = undefined;
    response.setHeader('content-type', 'text/xml;charset=utf-8').end(answer);
  });
  const url = `http://127.0.0.1:${await listenLocally(server)}/types`;
  const services = await Promise.all(
    ['types', 'encoded'].map(async (name) => {
      const { services } = await importWsdl(fileOf(name), { allowNetwork: false, reads: ['*'] });
      const { service } = services[0]!;
      return declare({ ...service, operations: [...service.operations.values()] }).answeredBy('types');
    }),
  );
  gateway = await createGateway({
    services,
    upstreams: { types: { url, format: 'soap11', credentials: 'forward', singleAddress: true } },
    settings: { LOG_LEVEL: 'silent' },
  });
  origin = (await gateway.listen()).origin;
});
afterAll(async () => {
  await gateway.close();
  server.close();
});

async function post(path: string, contentType: string, body: string) {
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': contentType, soapaction: '""' },
    body,
  });
  return { status: response.status, text: await response.text() };
}

/** As JSON text, since a number could lose digits. */
const json = (operation: string, body: string) => post(`/types/${operation}`, 'application/json', body);

const form = async (operation: string, pairs: Record<string, string>) => {
  const { status, text } = await post(
    `/types/${operation}`,
    'application/x-www-form-urlencoded',
    new URLSearchParams(pairs).toString(),
  );
  return { status, pairs: Object.fromEntries(new URLSearchParams(text)) };
};

/** The answer is the content of the Body. */
const soap = async (content: string) => {
  const { status, text } = await post('/types', 'text/xml;charset=utf-8', envelopeOf(content));
  return { status, body: bodyIn(text) };
};

const envelopeOf = (content: string) =>
  `<e:Envelope xmlns:e="${soap11}" xmlns:xsi="${xsi}" xmlns:t="${namespace}"><e:Body>${content}</e:Body></e:Envelope>`;

describe('integers and decimals of any size', () => {
  const big = {
    Long: '-9223372036854775808',
    UnsignedLong: '18446744073709551615',
    Integer: `-${'9'.repeat(60)}`,
    NonNegative: '1'.repeat(100),
    Decimal: '0.1000000000000000055511151231257827021181583404541015625',
  };

  test('lose no digit in JSON, and are texts there', async () => {
    const { status, text } = await json('EchoNumbers', JSON.stringify({ Value: big }));
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({ Value: { ...big, Longs: [] } });
    for (const [name, value] of Object.entries(big))
      expect(received.at(-1)).toMatch(new RegExp(`<(?:\\w+:)?${name}>${value}<`));
  });

  test('a caller in JSON may send them as numbers, and those that a double has exactly are answered as numbers', async () => {
    const { status, text } = await json(
      'EchoNumbers',
      '{"Value":{"Long":9223372036854775807,"Integer":9007199254740991,"Decimal":12.50,"Longs":[1,-9007199254740992]}}',
    );
    expect(status).toBe(200);
    expect(received.at(-1)).toContain('<Long>9223372036854775807<');
    expect(text).toBe(
      '{"Value":{"Long":"9223372036854775807","Integer":9007199254740991,"Decimal":12.5,"Longs":[1,"-9007199254740992"]}}',
    );
  });

  test('lose no digit in FORM and SOAP', async () => {
    const pairs = Object.fromEntries(Object.entries(big).map(([name, value]) => [`Value.${name}`, value]));
    expect(await form('EchoNumbers', pairs)).toEqual({ status: 200, pairs });
    const elements = Object.entries(big).map(([name, value]) => `<t:${name}>${value}</t:${name}>`);
    const { status, body } = await soap(`<t:EchoNumbers><t:Value>${elements.join('')}</t:Value></t:EchoNumbers>`);
    expect(status).toBe(200);
    for (const [name, value] of Object.entries(big)) expect(body).toMatch(new RegExp(`<(?:\\w+:)?${name}>${value}<`));
  });

  test.each([
    ['Long', '9223372036854775808'],
    ['UnsignedLong', '-1'],
    ['UnsignedLong', '18446744073709551616'],
    ['Integer', '1.5'],
    ['Integer', '1'.repeat(101)],
    ['Decimal', `0.${'1'.repeat(61)}`],
  ])('%s of %s is refused in every format, and nothing is sent', async (name, value) => {
    const before = received.length;
    const answers = [
      await json('EchoNumbers', `{"Value":{"${name}":${value}}}`),
      await json('EchoNumbers', `{"Value":{"${name}":"${value}"}}`),
      await post('/types/EchoNumbers', 'application/x-www-form-urlencoded', `Value.${name}=${value}`),
      await post(
        '/types',
        'text/xml',
        envelopeOf(`<t:EchoNumbers><t:Value><t:${name}>${value}</t:${name}></t:Value></t:EchoNumbers>`),
      ),
    ];
    for (const { status, text } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).toContain(name);
    }
    expect(received).toHaveLength(before);
  });

  test('an answer with a number beyond its type is no answer', async () => {
    told = envelopeOf(
      '<t:EchoNumbersResponse><t:Value><t:Long>9223372036854775808</t:Long></t:Value></t:EchoNumbersResponse>',
    );
    expect((await json('EchoNumbers', '{}')).status).toBeGreaterThanOrEqual(500);
  });
});

describe('types that extend others', () => {
  const value = {
    Shape: [
      { xsiType: 'Circle', Name: 'round', Size: 1.5, id: 7 },
      { xsiType: 'Ring', Size: 3, Inner: 2 },
      { xsiType: 'Drawing', Size: { xsiType: 'Point', X: 1, Y: 2 }, Parts: [{ xsiType: 'Circle', Size: 4 }] },
    ],
    At: { xsiType: 'Place', X: 1, Y: 2, Z: 3 },
  };
  const elements =
    '<t:Value><t:Shape id="7" xsi:type="t:Circle"><t:Name>round</t:Name><t:Size>1.5</t:Size></t:Shape>' +
    '<t:Shape xsi:type="t:Ring"><t:Size>3</t:Size><t:Inner>2</t:Inner></t:Shape>' +
    '<t:Shape xsi:type="t:Drawing"><t:Size><t:X>1</t:X><t:Y>2</t:Y></t:Size><t:Parts xsi:type="t:Circle"><t:Size>4</t:Size></t:Parts></t:Shape>' +
    '<t:At xsi:type="t:Place"><t:X>1</t:X><t:Y>2</t:Y><t:Z>3</t:Z></t:At></t:Value>';
  const typesIn = (body = '') => [...body.matchAll(/xsi:type="(?:\w+:)?(\w+)"/g)].map(([, name]) => name);

  test('are named by a member in JSON, and by xsi:type at the server, both ways', async () => {
    const { status, text } = await json('EchoShapes', JSON.stringify({ Value: value }));
    expect({ status, answer: JSON.parse(text) }).toEqual({ status: 200, answer: { Value: value } });
    expect(typesIn(received.at(-1))).toEqual(['Circle', 'Ring', 'Drawing', 'Point', 'Circle', 'Place']);
    expect(received.at(-1)).toContain('<Shape xsi:type="ns1:Circle" id="7"><Name>round</Name><Size>1.5</Size></Shape>');
  });

  test('are named by a member in FORM', async () => {
    const pairs = {
      'Value.Shape.0.xsiType': 'Ring',
      'Value.Shape.0.Size': '3',
      'Value.Shape.0.Inner': '2',
      'Value.At.xsiType': 'Place',
      'Value.At.X': '1',
      'Value.At.Y': '2',
      'Value.At.Z': '3',
    };
    expect(await form('EchoShapes', pairs)).toEqual({ status: 200, pairs });
  });

  test('are named by xsi:type in SOAP, with any prefix', async () => {
    const { status, body } = await soap(`<t:EchoShapes>${elements}</t:EchoShapes>`);
    expect(status).toBe(200);
    expect(typesIn(body)).toEqual(['Circle', 'Ring', 'Drawing', 'Point', 'Circle', 'Place']);
    const other = elements.replaceAll('"t:', '"o:');
    const renamed = await soap(`<t:EchoShapes xmlns:o="${namespace}">${other}</t:EchoShapes>`);
    expect(renamed).toEqual({ status, body });
  });

  test('an answer of the server is read fully, whatever its prefixes are', async () => {
    told = envelopeOf(`<t:EchoShapesResponse>${elements}</t:EchoShapesResponse>`);
    expect(JSON.parse((await json('EchoShapes', '{}')).text)).toEqual({ Value: value });
  });

  test('a type that may be itself needs no name', async () => {
    const { text } = await json('EchoShapes', '{"Value":{"At":{"X":1,"Y":2}}}');
    expect(JSON.parse(text)).toEqual({ Value: { Shape: [], At: { xsiType: 'Point', X: 1, Y: 2 } } });
  });

  test.each([
    ['an unknown type', '{"xsiType":"Square","Size":1}', 'xsi:type="t:Square"', '<t:Size>1</t:Size>', 'Square'],
    ['an abstract type', '{"xsiType":"Shape","Name":"a"}', 'xsi:type="t:Shape"', '<t:Name>a</t:Name>', 'xsiType'],
    ['no type where it is abstract', '{"Name":"a"}', '', '<t:Name>a</t:Name>', 'xsiType'],
    [
      'a member of another type',
      '{"xsiType":"Circle","Size":1,"Inner":2}',
      'xsi:type="t:Circle"',
      '<t:Size>1</t:Size><t:Inner>2</t:Inner>',
      'Inner',
    ],
  ])('%s is refused by name, and nothing is sent', async (_, asJson, type, content, named) => {
    const before = received.length;
    const answers = [
      await json('EchoShapes', `{"Value":{"Shape":[${asJson}]}}`),
      await post(
        '/types',
        'text/xml',
        envelopeOf(`<t:EchoShapes><t:Value><t:Shape ${type}>${content}</t:Shape></t:Value></t:EchoShapes>`),
      ),
    ];
    for (const { status, text } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).toContain(named);
    }
    expect(received).toHaveLength(before);
  });

  test('an answer with an unknown type is no answer', async () => {
    told = envelopeOf(
      '<t:EchoShapesResponse><t:Value><t:Shape xsi:type="t:Square"><t:Size>1</t:Size></t:Shape></t:Value></t:EchoShapesResponse>',
    );
    const { status, text } = await json('EchoShapes', '{}');
    expect(status).toBeGreaterThanOrEqual(500);
    expect(text).not.toContain('"Size":1');
  });

  test('the WSDL extends them, and OpenAPI has one schema for each with a discriminator', async () => {
    const derived = await (await fetch(`${origin}/types/v1?wsdl`)).text();
    expect(derived.replace(/\s+/g, ' ')).toMatch(/<xsd:complexType abstract="true" name="Shape">/);
    expect(derived.replace(/\s+/g, ' ')).toMatch(
      /<xsd:complexType name="Ring"> <xsd:complexContent> <xsd:extension base="(\w+):Circle">/,
    );
    const { components } = (await (await fetch(`${origin}/openapi.json`)).json()) as {
      components: { schemas: object };
    };
    expect(components.schemas).toMatchObject({
      Point: {
        oneOf: [{ $ref: '#/components/schemas/PointItself' }, { $ref: '#/components/schemas/Place' }],
        discriminator: { propertyName: 'xsiType', mapping: { Place: '#/components/schemas/Place' } },
      },
      Place: { required: ['xsiType', 'X', 'Y', 'Z'], properties: { xsiType: { enum: ['Place'] } } },
    });
  });
});

describe('substitution groups', () => {
  test.each([
    ['Card', { Amount: 3, Number: 'n' }],
    // Its type is that of the element in whose place it stands, which another one extends.
    ['Cash', { xsiType: 'CardPayment', Amount: 2, Number: 'n' }],
    ['Voucher', { Amount: 1 }],
  ])('%s stands in place of the abstract element, both ways', async (name, payment) => {
    const { status, text } = await json('EchoBill', JSON.stringify({ Value: { [name]: payment } }));
    expect({ status, answer: JSON.parse(text) }).toEqual({ status: 200, answer: { Value: { [name]: payment } } });
    expect(received.at(-1)).toContain(`<${name}${'xsiType' in payment ? ' xsi:type="ns1:CardPayment"' : ''}><Amount>`);
  });

  test('the abstract element, and two at once, are refused, and nothing is sent', async () => {
    const before = received.length;
    for (const [value, elements] of [
      ['{"Payment":{"Amount":1}}', '<t:Payment><t:Amount>1</t:Amount></t:Payment>'],
      [
        '{"Card":{"Amount":1},"Voucher":{"Amount":1}}',
        '<t:Card><t:Amount>1</t:Amount></t:Card><t:Voucher><t:Amount>1</t:Amount></t:Voucher>',
      ],
    ]) {
      expect((await json('EchoBill', `{"Value":${value}}`)).status).toBeGreaterThanOrEqual(400);
      expect((await soap(`<t:EchoBill><t:Value>${elements}</t:Value></t:EchoBill>`)).status).toBeGreaterThanOrEqual(
        400,
      );
    }
    expect(received).toHaveLength(before);
  });
});

describe('attributes of any name', () => {
  const anyAttribute = '<attributes xmlns:a0="urn:other" a0:mark="x &amp; y" rank="1"/>';

  test('are kept, and put back, in JSON and SOAP', async () => {
    const note = { Text: 'a', lang: 'en', anyAttribute };
    const { text } = await json('EchoBill', JSON.stringify({ Value: { Note: note } }));
    expect(JSON.parse(text)).toEqual({ Value: { Note: note } });
    expect(received.at(-1)).toContain(
      '<Note lang="en" xmlns:a0="urn:other" a0:mark="x &amp; y" rank="1"><Text>a</Text></Note>',
    );
    const { status, body } = await soap(
      '<t:EchoBill><t:Value><t:Note lang="en" xmlns:o="urn:other" o:mark="x &amp; y" rank="1"><t:Text>a</t:Text></t:Note></t:Value></t:EchoBill>',
    );
    expect(status).toBe(200);
    expect(body).toContain('<Note lang="en" xmlns:a0="urn:other" a0:mark="x &amp; y" rank="1"><Text>a</Text></Note>');
    expect(await form('EchoBill', { 'Value.Note.Text': 'a', 'Value.Note.anyAttribute': anyAttribute })).toEqual({
      status: 200,
      pairs: { 'Value.Note.Text': 'a', 'Value.Note.anyAttribute': anyAttribute },
    });
  });

  test.each([
    ['one of the contract', '<a lang="de"/>'],
    ['the type of the element', '<a xmlns:x="http://www.w3.org/2001/XMLSchema-instance" x:nil="true"/>'],
    ['content', '<a b="1">text</a>'],
    ['no attribute', '<a/>'],
    ['no XML', 'b="1"'],
    ['an end of the tag', '<a b="1"/><b/>'],
  ])('%s is refused, and nothing is sent', async (_, given) => {
    const before = received.length;
    const { status, text } = await json(
      'EchoBill',
      JSON.stringify({ Value: { Note: { lang: 'en', anyAttribute: given } } }),
    );
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toContain('anyAttribute');
    expect(received).toHaveLength(before);
  });

  test('an attribute that a type has not is refused where it allows no others', async () => {
    const asAttribute =
      '<t:EchoShapes><t:Value><t:Shape xsi:type="t:Circle" rank="1"><t:Size>1</t:Size></t:Shape></t:Value></t:EchoShapes>';
    expect((await soap(asAttribute)).status).toBeGreaterThanOrEqual(400);
  });
});

describe('SOAP encoding', () => {
  const value = {
    names: ['a', 'b'],
    lines: [{ sku: 'x', count: 1 }, { count: '9223372036854775807' }],
    notes: { 'a.b': 'c', other: '1' },
  };
  const echo = (body: string) => post('/encoded/v1/Echo', 'application/json', body);

  test('arrays name the type of their items to the server, and the entries of a Map are items', async () => {
    const { status, text } = await echo(JSON.stringify(value));
    expect({ status, answer: JSON.parse(text) }).toEqual({ status: 200, answer: value });
    const sent = received.at(-1) ?? '';
    expect(sent).toMatch(/<names [^>]*:arrayType="xsd:string\[2\]"><item>a<\/item><item>b<\/item><\/names>/);
    expect(sent).toMatch(/<lines [^>]*:arrayType="ns1:Line\[2\]"><item><sku>x<\/sku><count>1<\/count><\/item>/);
    expect(sent).toMatch(
      /<notes><item><key xsi:type="xsd:string">a\.b<\/key><value xsi:type="xsd:string">c<\/value><\/item>/,
    );
  });

  const multiRef = (items: string, entries: string) =>
    `<e:Envelope xmlns:e="${soap11}" xmlns:xsi="${xsi}" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><e:Body>` +
    '<n:EchoResponse xmlns:n="urn:encoded" e:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">' +
    '<names xmlns:s="http://schemas.xmlsoap.org/soap/encoding/" xsi:type="s:Array" s:arrayType="xsd:string[2]"><names xsi:type="xsd:string">a</names><names xsi:type="xsd:string">b</names></names>' +
    `<lines xmlns:s="http://schemas.xmlsoap.org/soap/encoding/" xsi:type="s:Array" s:arrayType="n:Line[2]">${items}</lines><notes href="#id2"/></n:EchoResponse>` +
    '<multiRef id="id0" xmlns:n="urn:encoded" xsi:type="n:Line"><sku xsi:type="xsd:string">x</sku><count href="#id3"/></multiRef>' +
    '<multiRef id="id1" xmlns:n="urn:encoded" xsi:type="n:Line"><sku xsi:nil="true"/><count xsi:type="xsd:long">9223372036854775807</count></multiRef>' +
    `<multiRef id="id2" xmlns:a="http://xml.apache.org/xml-soap" xsi:type="a:Map">${entries}</multiRef>` +
    '<multiRef id="id3" xsi:type="xsd:long">1</multiRef></e:Body></e:Envelope>';
  const entry = (key: string, of: string) =>
    `<item><key xsi:type="xsd:string">${key}</key><value xsi:type="xsd:anyType">${of}</value></item>`;
  const items = '<lines href="#id0"/><lines href="#id1"/>';

  test('an answer of Axis is read fully: references, arrays and a Map', async () => {
    told = multiRef(items, entry('a.b', 'c') + entry('other', '1'));
    const { status, text } = await echo('{}');
    expect({ status, answer: JSON.parse(text) }).toEqual({ status: 200, answer: value });
  });

  test.each([
    ['a reference to nothing', '<lines href="#id0"/><lines href="#id9"/>', entry('a', 'b')],
    ['a value of a Map with parts of its own', items, entry('a', entry('b', 'c'))],
    ['an entry of a Map without a key', items, '<item><value>1</value></item>'],
  ])('an answer with %s is no answer', async (_, given, entries) => {
    told = multiRef(given, entries);
    expect((await echo('{}')).status).toBeGreaterThanOrEqual(500);
  });
});

describe('requests of rpc/encoded callers', () => {
  const encoded = (content: string, others = '') =>
    post(
      '/encoded',
      'text/xml;charset=utf-8',
      `<e:Envelope xmlns:e="${soap11}" xmlns:xsi="${xsi}" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:c="http://schemas.xmlsoap.org/soap/encoding/" xmlns:n="urn:encoded"><e:Body><n:Echo e:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">${content}</n:Echo>${others}</e:Body></e:Envelope>`,
    );

  test.each<readonly [string, string, string]>([
    [
      'without any xsi:type, and without arrayType',
      '<names><item>a</item><item>b</item></names><lines><item><sku>x</sku><count>1</count></item></lines><notes><item><key>k</key><value>v</value></item></notes>',
      '',
    ],
    [
      'with items of other names, as ksoap and SOAP::Lite write them',
      '<names xsi:type="c:Array"><c:string>a</c:string><c-gensym3>b</c-gensym3></names><lines><Line><sku>x</sku><count>1</count></Line></lines><notes><item><key>k</key><value>v</value></item></notes>',
      '',
    ],
    [
      'with types of the caller, and multiRef with href',
      '<names href="#r1"/><lines href="#r2"/><notes href="#r4"/>',
      '<multiRef id="r1" c:root="0" xsi:type="c:Array" c:arrayType="xsd:string[2]"><item>a</item><item>b</item></multiRef>' +
        '<multiRef id="r2" c:root="0" c:arrayType="n:Line[1]"><item href="#r3"/></multiRef>' +
        '<multiRef id="r3"><sku href="#r5"/><count xsi:type="xsd:int">1</count></multiRef>' +
        '<multiRef id="r4"><item><key>k</key><value>v</value></item></multiRef><multiRef id="r5">x</multiRef>',
    ],
    [
      'with members in another order, and with a type for every item',
      '<notes xmlns:m="http://xml.apache.org/xml-soap" xsi:type="m:Map"><item><key xsi:type="xsd:string">k</key><value xsi:type="xsd:string">v</value></item></notes><lines c:arrayType="xsd:anyType[1]"><item xsi:type="c:Struct"><count>1</count><sku>x</sku></item></lines><names c:arrayType="xsd:ur-type[2]" xsi:type="c:Array"><item xsi:type="xsd:string">a</item><item xsi:type="xsd:string">b</item></names>',
      '',
    ],
  ])('%s are read by the types of the contract', async (_, content, others) => {
    const { status, text } = await encoded(content, others);
    expect([status, text]).toEqual([200, expect.stringContaining('<count>1</count>')]);
    const plain = received.at(-1)!.replace(/ [\w:]+="[^"]*"/g, '');
    for (const part of [
      '<names><item>a</item><item>b</item></names>',
      '<item><sku>x</sku><count>1</count></item>',
      '<notes><item><key>k</key><value>v</value></item></notes>',
    ])
      expect(plain).toContain(part);
  });

  test('the control: a value of another type, and a member that the contract lacks, are refused', async () => {
    const before = received.length;
    for (const content of [
      '<lines><item><sku>x</sku><count>one</count></item></lines>',
      '<lines><item><sku>x</sku><count>1</count><other>1</other></item></lines>',
      '<names href="#nowhere"/>',
    ])
      expect((await encoded(content)).status).toBe(500);
    expect(received).toHaveLength(before);
  });
});
