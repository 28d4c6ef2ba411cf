/**
 * Ten common mistakes of callers in ten columns: wire formats of a built-in service, and of imported ones. Each refusal names the place, the rule and
 * the cure, and has the text that clients compare.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { Caller } from '../../src/core/contract/canonical.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import type { Call } from '../../src/core/formats/protocol.ts';
import { createProtocols, type NamedProtocol } from '../../src/core/formats/wire-formats.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import type { BoundHandler } from '../../src/stores/handlers.ts';
import { openGateway } from '../support/gateway.ts';
import { implementServices } from '../support/services.ts';
import { tempFolder } from '../support/temp-folder.ts';

const wsdl = `<definitions name="Parcels" targetNamespace="urn:example:parcels" xmlns="http://schemas.xmlsoap.org/wsdl/"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:example:parcels" xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <types><xs:schema targetNamespace="urn:example:parcels" elementFormDefault="qualified">
    <xs:simpleType name="Size"><xs:restriction base="xs:string"><xs:enumeration value="SMALL"/><xs:enumeration value="LARGE"/></xs:restriction></xs:simpleType>
    <xs:simpleType name="Year"><xs:restriction base="xs:string"><xs:pattern value="20[0-9]{2}"/></xs:restriction></xs:simpleType>
    <xs:element name="SendParcel"><xs:complexType><xs:sequence>
      <xs:element name="size" type="t:Size"/><xs:element name="year" type="t:Year"/><xs:element name="receiver" type="xs:string" minOccurs="0"/>
    </xs:sequence></xs:complexType></xs:element>
    <xs:element name="SendParcelResponse"><xs:complexType/></xs:element>
  </xs:schema></types>
  <message name="In"><part name="parameters" element="t:SendParcel"/></message>
  <message name="Out"><part name="parameters" element="t:SendParcelResponse"/></message>
  <portType name="Port"><operation name="SendParcel"><input message="t:In"/><output message="t:Out"/></operation></portType>
  <binding name="Binding" type="t:Port"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="SendParcel"><soap:operation soapAction=""/>
      <input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
  <service name="Parcels"><port name="Port" binding="t:Binding"><soap:address location="http://parcels.example/parcels"/></port></service>
</definitions>`;

const crate = {
  type: 'object',
  required: ['size', 'year'],
  properties: {
    size: { type: 'string', enum: ['SMALL', 'LARGE'] },
    year: { type: 'integer', minimum: 2000, maximum: 2099 },
    receiver: { type: 'string' },
  },
};
const openApi = {
  openapi: '3.0.3',
  info: { title: 'Depot', version: '1' },
  paths: {
    '/crates': {
      post: {
        operationId: 'addCrate',
        requestBody: { required: true, content: { 'application/json': { schema: crate } } },
        responses: { 204: { description: 'added' } },
      },
    },
  },
};

const folder = tempFolder();
const write = (name: string, text: string): string => {
  writeFileSync(join(folder.path, name), text);
  return join(folder.path, name);
};
const [parcels] = (await importWsdl(write('parcels.wsdl', wsdl), { allowNetwork: false })).services;
const depot = await importOpenApi(write('depot.json', JSON.stringify(openApi)), { allowNetwork: false });

const imported = [parcels!.service, depot.service];
const protocols = createProtocols([recurringV25, ...imported]);
const caller: Caller = {
  credential: 'shop',
  tenant: 'Demo',
  roles: new Set([
    'recurring',
    ...imported.flatMap(({ operations }) => [...operations.values()].map(({ role }) => role)),
  ]),
  grants: new Map([['merchantAccount', new Set(['DemoMerchant'])]]),
  requiresKey: false,
};
const gateway = await openGateway({
  implementations: (dependencies) => [
    ...implementServices(dependencies),
    ...imported.map((service) => {
      const answer: BoundHandler = { kind: 'plain', handle: async () => ({}) };
      const handlers = new Map([...service.operations.values()].map((operation) => [operation, answer]));
      return { service, handlers, olderVersions: [] };
    }),
  ],
  credentials: {
    verify: async ({ secret }) => {
      if (secret === 'wrong') return { refusal: 'wrongSecret' };
      return { caller: secret === 'no-role' ? { ...caller, roles: new Set<string>() } : caller };
    },
  },
});
afterAll(async () => {
  folder.discard();
  await gateway.close();
});

/** A service in one format. */
interface Column {
  readonly format: NamedProtocol;
  readonly service: Service;
  readonly operation: Operation;
  readonly input: object;
  /** A place as the format names it. */
  place(...path: readonly string[]): string;
}

type Issue = readonly [place: string, message: string];

/** What an answer says: its text, and the entries of `invalidFields`. */
interface Refusal {
  readonly text: string;
  readonly issues: readonly Issue[];
}

interface Mistake extends Refusal {
  readonly change?: (call: Call) => Partial<Call & { readonly method: string }>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Parts of the answer that name the place, the rule and the cure. */
  readonly names: readonly [place: string, rule: string, cure: string];
}

const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna' };
const merchantAccount = 'DemoMerchant';
const shopperReference = 'shopper-1';
const token = { card, merchantAccount, recurring: { contract: ['ONECLICK'] }, shopperReference };
const parcel = { size: 'SMALL', year: '2031', receiver: shopperReference };

function columnsOf(service: Service, name: string, input: object, formats: readonly NamedProtocol[], below = name) {
  const operation = service.operations.get(name)!;
  return formats.map((format): Column => {
    const start = format.startsWith('soap') ? `/Envelope/Body/${below}/` : format === 'json' ? '/' : '';
    const prefix = format === 'adapter' ? `${name}Request.` : start;
    const place = (...path: readonly string[]) =>
      prefix + path.join(format.endsWith('m') || format === 'adapter' ? '.' : '/');
    return { format, service, operation, input, place };
  });
}

const ofParcels = columnsOf(parcels!.service, 'SendParcel', parcel, ['soap11', 'soap12', 'json', 'form']);
const ofDepot = columnsOf(depot.service, 'addCrate', { ...parcel, year: 2031 }, ['soap11', 'json']);
const builtIn = columnsOf(
  recurringV25,
  'storeToken',
  token,
  ['soap11', 'soap12', 'json', 'form'],
  'storeToken/request',
);
const columns = [...builtIn, ...ofParcels, ...ofDepot];
const ofAdapter = columnsOf(recurringV25, 'storeToken', token, ['adapter']);

const soap = protocols.soap11.encodeRequest(recurringV25, builtIn[0]!.operation, token).body;
const contracts = 'one of ONECLICK, RECURRING, PAYOUT, EXTERNAL, or several with commas between them';

const isSoap = ({ format }: Column): boolean => format.startsWith('soap');
const replace = (from: string | RegExp, to: string) => (call: Call) => ({ body: call.body.replaceAll(from, to) });
/** Leaves out a member with a text. */
const without = (name: string) => (call: Call) => ({
  body: call.body.replace(
    new RegExp(
      `<(\\w+:)?${name}>[^<]*</(\\w+:)?${name}>|"${name}":[^,}]*,|,"${name}":[^,}]*|&?([\\w.]*\\.)?${name}=[^&]*`,
    ),
    '',
  ),
});
const served = ({ service }: Column): string => [...service.operations.keys()].join(', ');

const namespaces: ReadonlyMap<Service, string> = new Map([
  [recurringV25, 'http://recurring.services.adyen.com'],
  [parcels!.service, 'urn:example:parcels'],
  [depot.service, 'urn:openapi:depot'],
]);
function namespaceOf({ service }: Column): string {
  return namespaces.get(service) ?? '';
}

/** The ten common mistakes. */
const mistakes: Readonly<Record<string, (column: Column) => Mistake>> = {
  'a value outside a list': (column) => {
    const isBuiltIn = column.service === recurringV25;
    const place = isBuiltIn ? column.place('recurring', 'contract') : column.place('size');
    const text = isBuiltIn ? 'Invalid recurring contract specified' : 'Invalid field size';
    const cure = isBuiltIn ? contracts : 'one of SMALL, LARGE';
    return {
      ...{ change: replace(/ONECLICK|SMALL/g, 'ONCE'), text, names: [place, text, cure] },
      issues: [[place, `${text}: ${cure}`]],
    };
  },
  'a year of two digits': (column) => {
    const isBuiltIn = column.service === recurringV25;
    if (column.service === depot.service) {
      // The server behind knows the range. A word is no number.
      const place = column.place('year');
      const [text, cure] = [
        'Problem parsing request: year is not a valid integer',
        'a whole number of up to 19 digits',
      ];
      const issues: readonly Issue[] = [[place, `${text}: ${cure}`]];
      return { change: replace('2031', '"31st"'), text, issues, names: [place, text, cure] };
    }
    const place = isBuiltIn ? column.place('card', 'expiryYear') : column.place('year');
    const text = isBuiltIn ? 'Expiry Date Invalid' : 'Invalid field year';
    const example = isBuiltIn ? '2030 (The year in which the card expires, four digits)' : '2011';
    const cure = `of the pattern 20[0-9]{2}, such as ${example}`;
    return { change: replace('2031', '31'), text, issues: [[place, `${text}: ${cure}`]], names: [place, text, cure] };
  },
  'a member that is missing': (column) => {
    const isBuiltIn = column.service === recurringV25;
    const place = isBuiltIn ? column.place('card', 'number') : column.place('size');
    const text = isBuiltIn ? 'Invalid card number' : 'Required field size not specified';
    const cure = isBuiltIn
      ? 'of the pattern [0-9]{12,19}, with a valid check digit (The card number, digits only)'
      : 'one of SMALL, LARGE';
    return {
      ...{ change: without(isBuiltIn ? 'number' : 'size'), text },
      ...{ issues: [[place, `${text}: ${cure}`]], names: [place, text, cure] },
    };
  },
  'a name with a typo': (column) => {
    const isBuiltIn = column.service === recurringV25;
    const place = isBuiltIn ? column.place('recurring', 'contracts') : column.place('recever');
    const type = isBuiltIn ? 'Recurring' : column.operation.input.name;
    const text = `Structure of ${type} contains the following unknown fields: [${isBuiltIn ? 'contracts' : 'recever'}]`;
    const cure = isBuiltIn ? 'known are contract, recurringDetailName, tokenService' : 'known are size, year, receiver';
    const lost: Issue = [column.place('recurring', 'contract'), `Invalid recurring contract specified: ${contracts}`];
    return {
      change: isBuiltIn ? replace(/contract\b/g, 'contracts') : replace('receiver', 'recever'),
      ...{
        text,
        issues: [[place, `${text}: ${cure}`], ...(isBuiltIn ? [lost] : [])],
        names: [place, 'unknown fields', cure],
      },
    };
  },
  'a wrong API key': () => {
    const text = 'HTTP Status Response - Unauthorized';
    const cure =
      'send an API key in the header X-API-Key, or a user name and its password as HTTP Basic, that the operator of this service gave you';
    return {
      headers: { 'x-api-key': 'wrong' },
      text,
      issues: [['Authorization', cure]],
      names: ['Authorization', text, cure],
    };
  },
  'a credential without the right': ({ operation, service, place }) => {
    if (service === recurringV25) {
      const [text, at] = ['Invalid Merchant Account', place('merchantAccount')];
      const cure =
        'send a merchantAccount for which this credential acts, or ask the operator of this service to add it';
      return {
        change: replace('DemoMerchant', 'OtherMerchant'),
        text,
        issues: [[at, `${text}: ${cure}`]],
        names: [at, text, cure],
      };
    }
    const rule = `this credential may not call ${operation.name}`;
    const cure = 'ask the operator of this service to allow it';
    return {
      ...{ headers: { 'x-api-key': 'no-role' }, text: 'Not allowed' },
      ...{ issues: [['Authorization', `${rule}: ${cure}`]], names: ['Authorization', rule, cure] },
    };
  },
  'an operation that does not exist': (column) => {
    const { name } = column.operation;
    const text = `Operation not found; served here: ${served(column)}`;
    const [place, cure] = isSoap(column)
      ? ['/Envelope/Body', `the first element of the Body names the operation, in the namespace ${namespaceOf(column)}`]
      : ['path', 'its last segment names the operation'];
    return {
      change: ({ body, path }) => (isSoap(column) ? { body: body.replaceAll(name, `${name}s`) } : { path: `${path}s` }),
      ...{ text, issues: [[place, cure]], names: [place, text, cure] },
    };
  },
  'an address that does not exist': () => {
    const cure = 'it is none of the addresses /pal/servlet/Recurring/v68, /bcl/v2, /parcels/v1, /Depot/v1';
    return {
      change: ({ path }) => ({ path: `/api${path}` }),
      ...{ text: 'Service not found', issues: [['path', cure]], names: ['path', 'it is none of the addresses', cure] },
    };
  },
  'a method that is not served': () => {
    const text = 'Method not allowed';
    return {
      change: () => ({ method: 'PUT' }),
      text,
      issues: [['method', 'send POST']],
      names: ['method', text, 'send POST'],
    };
  },
  'a body of another format': (column) => {
    const { title } = protocols[column.format];
    const [other, type] = isSoap(column) ? ['JSON', 'application/json'] : ['SOAP 1.1', 'text/xml'];
    const rule = `the body looks like ${other}, and is read as ${title}`;
    const advice: Issue = ['Content-Type', `${rule}: send ${type}`];
    const change = () => ({ body: isSoap(column) ? '{"a":1}' : soap });
    const names = ['Content-Type', rule, `send ${type}`] as const;
    if (column.format === 'form') return { change, names, ...xmlAsForm(column, advice) };
    const reason = isSoap(column) ? 'not well-formed, line 1, column 7' : 'not JSON, offset 0';
    return { change, names, text: `Problem parsing request: ${reason}`, issues: [advice] };
  },
};

/** XML is one name without a value, beside which all members are missing. */
function xmlAsForm({ service, operation }: Column, advice: Issue): Refusal {
  const text = `Structure of ${operation.input.name} contains the following unknown fields: [?]`;
  const known = Object.keys(operation.input.fields).join(', ');
  const missing: readonly Issue[] =
    service === recurringV25
      ? [
          ['merchantAccount', 'Invalid Merchant Account: 1 to 80 characters'],
          ['recurring', 'Invalid recurring contract specified'],
          ['shopperReference', "Required field 'shopperReference' is not provided."],
          ['', 'Missing payment details'],
        ]
      : [
          ['size', 'Required field size not specified: one of SMALL, LARGE'],
          ['year', 'Required field year not specified: of the pattern 20[0-9]{2}, such as 2011'],
        ];
  return { text, issues: [['?', `${text}: known are ${known}`], advice, ...missing] };
}

/** Further mistakes, which only some formats allow, or which any may have. */
const others = [...columns, ...ofAdapter].flatMap((column): (readonly [title: string, Column, Mistake])[] => {
  const { format, service, operation } = column;
  const named = `${service.name} in ${format}`;
  const key = 'Idempotency-Key is not 1 to 64 printable characters without blanks, quotes or backslashes';
  const withBlank = { headers: { 'idempotency-key': 'a b' }, text: key, issues: [] };
  const row = (title: string, mistake: Mistake) => [`${title}: ${named}`, column, mistake] as const;
  const rows = [row('a key with a blank', { ...withBlank, names: ['Idempotency-Key', '1 to 64', 'without blanks'] })];
  if (isSoap(column)) {
    const place = `/Envelope/Body/${operation.name}`;
    const rule = 'it has another namespace';
    const cure = `send it in ${namespaceOf(column)}`;
    const text = `Problem parsing request: wrong namespace, ${operation.name}`;
    const change = replace(namespaceOf(column), 'http://other.example');
    rows.push(
      row('another namespace', { change, text, issues: [[place, `${rule}: ${cure}`]], names: [place, rule, cure] }),
    );
  }
  if (format === 'adapter')
    for (const [title, action] of [
      ['no action', ''],
      ['an action that does not exist', `action=${service.name}.other&`],
    ] as const) {
      const text = `Operation not found; served here: ${served(column)}`;
      const cure = `send action=${service.name}.OPERATION with one of the operations`;
      const change = replace(/action=[^&]*&/g, action);
      rows.push(row(title, { change, text, issues: [['action', cure]], names: ['action', text, cure] }));
    }
  return rows;
});

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&apos;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

/** Reads what an answer says, without the class and the code before the text. */
function readRefusal({ format }: Column, body: string, headers: Readonly<Record<string, string>>): Refusal {
  switch (format) {
    case 'soap11':
    case 'soap12': {
      const [, text = ''] = /<(?:faultstring|env:Text)[^>]*>\w+ \w+ ([^<]*)/.exec(body) ?? [];
      const fields = body.matchAll(/<f:name>([^<]*)<\/f:name><f:message>([^<]*)</g);
      return {
        text: unescaped(text),
        issues: [...fields].map(([, name = '', message = '']) => [name, unescaped(message)]),
      };
    }
    case 'json': {
      const { message, detail, invalidFields = [] } = JSON.parse(body);
      const fields = invalidFields as readonly { readonly name: string; readonly message: string }[];
      return { text: message ?? detail, issues: fields.map((each) => [each.name, each.message]) };
    }
    case 'form': {
      const pairs = new URLSearchParams(body);
      const names = [...pairs].filter(([name]) => name.endsWith('.name'));
      const issues = names.map(([name, place]): Issue => [place, pairs.get(name.replace(/name$/, 'message')) ?? '']);
      return { text: pairs.get('message') ?? '', issues };
    }
    case 'adapter':
      return { text: body.replace(/^\w+ \w+ /, ''), issues: [...new URLSearchParams(headers.invalidFields)] };
    default:
      return format satisfies never;
  }
}

/** Returns how many of the place, the rule and the cure the answer names. */
async function check(column: Column, { change, headers, text, issues, names }: Mistake): Promise<number> {
  const call = protocols[column.format].encodeRequest(column.service, column.operation, column.input);
  const { method = 'POST', path, contentType, body } = { method: 'POST', ...call, ...change?.(call) };
  const sent = { 'content-type': contentType, ...call.headers, 'x-api-key': 'right', ...headers };
  const { message } = await gateway.ask({ method, path, headers: sent, body });
  const refusal = readRefusal(column, message.body, message.headers);
  expect(refusal).toEqual({ text, issues });
  const said = [text, ...issues.flat()].join('\n');
  return names.filter((each) => each !== '' && said.includes(each)).length;
}

const rows = Object.entries(mistakes).flatMap(([title, mistakeOf]) =>
  columnsFor(title).map(
    (column) => [`${title}: ${column.service.name} in ${column.format}`, column, mistakeOf(column)] as const,
  ),
);
/** The server behind an imported OpenAPI document knows what it requires. Imported services have no form adapter. */
function columnsFor(title: string): readonly Column[] {
  if (title === 'a member that is missing') return [...builtIn, ...ofAdapter, ...ofParcels];
  return title === 'a year of two digits' ? [...columns, ...ofAdapter] : columns;
}
const complete = new Set<string>();

test.each([...rows, ...others])('%s', async (title, column, mistake) => {
  if ((await check(column, mistake)) === 3) complete.add(title);
});

test('of 100 refusals at least 95 name the place, the rule and the cure', () => {
  expect(rows).toHaveLength(100);
  expect(rows.filter(([title]) => complete.has(title)).length).toBeGreaterThanOrEqual(95);
});
