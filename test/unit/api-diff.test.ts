/** Tests the API diff: it accepts equal and wider documents and names each kind of breaking change. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { breakingChanges } from '../../scripts/api-diff/breaking-changes.ts';
import { newestRecurring } from '../../src/payments/recurring/versions.ts';

const root = join(import.meta.dirname, '../..');
const paths = globSync(['openapi*.json', 'wsdl/*'], { cwd: root });
const committed = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));

const xsd = 'wsdl/Recurring-v25-payment.xsd';
const wsdl = 'wsdl/Recurring-v25.wsdl';

/** One of the committed documents, rewritten; fails where the change meets nothing. */
function changed(path: string, rewrite: (text: string) => string): ReadonlyMap<string, string> {
  const text = committed.get(path)!;
  const rewritten = rewrite(text);
  expect(rewritten === text).toBe(false);
  return new Map([[path, rewritten]]);
}

/** The changes of these documents against the committed ones: each is compared alone. */
const changesIn = (rewritten: ReadonlyMap<string, string>): readonly string[] =>
  breakingChanges(new Map([...committed].filter(([path]) => rewritten.has(path))), rewritten);

// biome-ignore lint/suspicious/noExplicitAny: a test reaches into a document of any form
const inOpenApi = (change: (document: any) => void, path = 'openapi.json') =>
  changed(path, (text) => {
    const document = JSON.parse(text);
    change(document);
    return JSON.stringify(document);
  });

const disable = `/pal/servlet/Recurring/v${newestRecurring.version}/disable`;

test('passes the committed documents against themselves', () => {
  expect(paths.length).toBeGreaterThan(3);
  expect(breakingChanges(committed, committed)).toEqual([]);
});

test('names a removed document', () => {
  const without = new Map([...committed].filter(([path]) => path !== wsdl));
  expect(breakingChanges(committed, without)).toEqual([`${wsdl}: the document was removed`]);
});

describe('OpenAPI', () => {
  test.each<[string, Parameters<typeof inOpenApi>[0], RegExp]>([
    ['a removed path', ({ paths }) => delete paths[disable], /POST .*\/disable: the operation was removed/],
    [
      'a removed content type',
      ({ paths }) => delete paths[disable].post.requestBody.content['application/x-www-form-urlencoded'],
      /disable request: the content type application\/x-www-form-urlencoded was removed/,
    ],
    [
      'a required header',
      ({ paths }) => {
        paths[disable].post.parameters[0].required = true;
      },
      /the header parameter Idempotency-Key became required/,
    ],
    [
      'a removed header of a response',
      ({ paths }) => delete paths[disable].post.responses[200].headers['Idempotent-Replayed'],
      /disable 200: the header Idempotent-Replayed was removed/,
    ],
    [
      'a removed response',
      ({ paths }) => delete paths[disable].post.responses[200],
      /disable 200: the response was removed/,
    ],
    [
      'a removed field of a request',
      ({ components: { schemas } }) => delete schemas.DisableRequest.properties.contract,
      /request DisableRequest: the field contract was removed/,
    ],
    [
      'a removed field of a response',
      ({ components: { schemas } }) => delete schemas.DisableResult.properties.response,
      /response DisableResult: the field response was removed/,
    ],
    [
      'a new required field',
      ({ components: { schemas } }) => schemas.DisableRequest.required.push('contract'),
      /request DisableRequest: the field contract became required/,
    ],
    [
      'a field of a response that may now be absent',
      ({ components: { schemas } }) => {
        schemas.ScheduleAccountUpdaterResult.required = [];
      },
      /response ScheduleAccountUpdaterResult: the field result is no longer always there/,
    ],
    [
      'a changed type',
      ({ components: { schemas } }) => {
        schemas.DisableRequest.properties.contract = { type: 'boolean' };
      },
      /request DisableRequest\.contract: the type string became boolean/,
    ],
    [
      'a lower limit',
      ({ components: { schemas } }) => {
        schemas.DisableRequest.properties.shopperReference.maxLength = 2;
      },
      /request DisableRequest\.shopperReference: maxLength \d+ became 2/,
    ],
    [
      'a new rule for a text',
      ({ components: { schemas } }) => {
        schemas.DisableRequest.properties.shopperReference.pattern = '^[a-z]+$';
      },
      /shopperReference: pattern .* became \^\[a-z\]\+\$/,
    ],
    [
      'a closed list of values',
      ({ components: { schemas } }) => {
        schemas.DisableRequest.properties.merchantAccount.enum = ['One'];
      },
      /merchantAccount: any other value is no longer accepted/,
    ],
    [
      'a new condition between fields',
      ({ components: { schemas } }) => {
        schemas.DisableRequest.allOf = [{ anyOf: [{ required: ['contract'] }] }];
      },
      /request DisableRequest: a condition between fields was added or changed/,
    ],
  ])('names %s', (_, change, expected) => {
    const found = changesIn(inOpenApi(change));
    expect(found).toContainEqual(expect.stringMatching(expected));
  });

  test('names a removed enum value and a removed field deep in a resource', () => {
    const found = changesIn(
      inOpenApi((document) => {
        const status = JSON.stringify(document).includes('"closed"');
        expect(status).toBe(true);
        const text = JSON.stringify(document.components.schemas)
          .replaceAll('"closed",', '')
          .replaceAll(',"closed"', '');
        document.components.schemas = JSON.parse(text);
      }, 'openapi-balance-platform.json'),
    );
    expect(found).toContainEqual(expect.stringMatching(/request .*: closed is no longer accepted/));
  });

  test('passes what only widens or describes', () => {
    const wider = inOpenApi(({ paths, components: { schemas } }) => {
      paths['/new'] = { get: { responses: {} } };
      delete paths[disable].post.responses[422];
      schemas.DisableRequest.description = 'Another text.';
      schemas.DisableRequest.properties.more = { type: 'string' };
      schemas.DisableRequest.required = [];
      delete schemas.DisableRequest.properties.shopperReference.maxLength;
      schemas.DisableResult.properties.more = { type: 'string' };
      // It says how people see the text.
      schemas.DisableRequest.properties.merchantAccount.format = 'password';
      schemas.DisableResult.properties.response.format = 'password';
      schemas.DisableResult.required = ['response'];
    });
    expect(changesIn(wider)).toEqual([]);
  });
});

describe('WSDL and XSD', () => {
  test.each<[string, string, (text: string) => string, RegExp]>([
    [
      'a removed element',
      xsd,
      (text) => text.replace(/<xsd:element minOccurs="0" name="tokenDataType"[\s\S]*?<\/xsd:element>/, ''),
      /complexType TokenDetails\/element tokenDataType was removed/,
    ],
    [
      'an element that became required',
      xsd,
      (text) => text.replace('<xsd:element minOccurs="0" name="tokenDataType"', '<xsd:element name="tokenDataType"'),
      /complexType TokenDetails\/element tokenDataType became required/,
    ],
    [
      'a changed type',
      xsd,
      (text) => text.replace(/(name="tokenDataType" nillable="true" type=")xsd:string/, '$1xsd:boolean'),
      /element tokenDataType: type xsd:string became xsd:boolean/,
    ],
    [
      'a new required element',
      xsd,
      (text) =>
        text.replace(
          /(<xsd:complexType name="Card">\s*<xsd:sequence>)/,
          '$1<xsd:element name="more" type="xsd:string"/>',
        ),
      /complexType Card\/element more was added and is not optional/,
    ],
    [
      'another order of elements',
      xsd,
      (text) =>
        text.replace(
          /(<xsd:complexType name="TokenDetails">\s*<xsd:sequence>)(\s*<xsd:element [\s\S]*?<\/xsd:element>)(\s*<xsd:element [\s\S]*?<\/xsd:element>)/,
          '$1$3$2',
        ),
      /complexType TokenDetails: the order of its elements changed/,
    ],
    [
      'a removed value',
      'wsdl/Recurring-v25-common.xsd',
      (text) => text.replace('<xsd:enumeration value="UNKNOWN"/>', ''),
      /simpleType Gender\/enumeration UNKNOWN was removed/,
    ],
    [
      'a lower limit',
      'wsdl/Recurring-v25-payment.xsd',
      (text) => text.replace('<xsd:minLength value="4"/>', '<xsd:minLength value="5"/>'),
      /element \w+\/minLength 4 became 5/,
    ],
    [
      'a removed operation',
      wsdl,
      (text) => text.replaceAll(/<wsdl:operation name="disable">[\s\S]*?<\/wsdl:operation>/g, ''),
      /operation disable was removed/,
    ],
    [
      'another address',
      wsdl,
      (text) => text.replaceAll(/(address location=")[^"]*/g, '$1https://elsewhere.example/'),
      /address .* was removed/,
    ],
  ])('names %s', (_, path, rewrite, expected) => {
    const found = changesIn(changed(path, rewrite));
    expect(found).toContainEqual(expect.stringMatching(expected));
  });

  test('passes a higher limit', () => {
    const wider = changed('wsdl/Recurring-v25-payment.xsd', (text) =>
      text.replace('<xsd:maxLength value="50"/>', '<xsd:maxLength value="60"/>'),
    );
    expect(changesIn(wider)).toEqual([]);
  });

  test('passes an optional element, another type and a new value', () => {
    const wider = changed('wsdl/Recurring-v25-common.xsd', (text) =>
      text
        .replace('<xsd:enumeration value="UNKNOWN"/>', '$&<xsd:enumeration value="OTHER"/>')
        .replace(
          /<xsd:complexType name="Address">\s*<xsd:sequence>/,
          '<xsd:complexType name="More"><xsd:sequence/></xsd:complexType>$&<xsd:element minOccurs="0" name="more" type="xsd:string"/>',
        ),
    );
    expect(changesIn(wider)).toEqual([]);
  });
});
