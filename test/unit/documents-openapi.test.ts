/** Tests the derived JSON schemas and OpenAPI: they accept the examples, reject mistakes, and resolve every reference. */
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Problem } from '../../src/core/contract/problem.ts';
import { newestOf } from '../../src/core/contract/service.ts';
import { createProtocols, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { deriveJsonSchema } from '../../src/documents/json-schema.ts';
import { deriveOpenApi } from '../../src/documents/openapi.ts';
import { services } from '../../src/payments/index.ts';
import { recurringProblems } from '../../src/payments/recurring/problems.ts';
import { newestRecurring, recurringV25 } from '../../src/payments/recurring/versions.ts';
import { deriveFormSchema } from '../formats/form-schema.ts';

const service = newestRecurring;
const protocols = createProtocols(services);
const operations = [...service.operations.values()].map((each) => [each.name, each] as const);
const home = `/pal/servlet/Recurring/v${service.version}`;

/** `coerceTypes`: in a form every value is a text, from which the type that the schema names is read. */
const createAjv = (coerceTypes: boolean) => {
  const created = new Ajv2020({ allErrors: true, strictTypes: false, coerceTypes });
  formats.default(created);
  return created;
};
const ajvs = { plain: createAjv(false), coercing: createAjv(true) };
const ajv = (coerceTypes = false) => (coerceTypes ? ajvs.coercing : ajvs.plain);

const pairs = (body: string): Record<string, string> => Object.fromEntries(new URLSearchParams(body));

/** The operations of the oldest and the newest version; the adapter has the oldest one only. */
const everyFormat = [
  ...[...recurringV25.operations.values()].map((each) => ({
    service: recurringV25,
    operation: each,
    names: namedProtocols,
  })),
  ...operations.map(([, operation]) => ({
    service,
    operation,
    names: namedProtocols.filter((name) => name !== 'adapter'),
  })),
];

describe('the examples', () => {
  test.each(everyFormat)('of $operation.name in version $service.version survive a round trip', (each) => {
    const { service, operation, names } = each;
    for (const protocol of names.map((name) => protocols[name]))
      for (const extent of ['full', 'minimal'] as const) {
        const input = exampleOf(operation.input, extent);
        const output = exampleOf(operation.output, extent);
        const { body, contentType } = protocol.encodeRequest(service, operation, input);
        const media = { type: contentType, charset: undefined };
        const target = { service, version: service.version, operation };
        const head = { query: '', headers: {} };
        expect(protocol.decode(Buffer.from(body), media, target, head)).toEqual({ operation, input, issues: [] });
        expect(protocol.decodeResponse(operation, protocol.encode(operation, output).body)).toEqual({
          value: output,
          issues: [],
        });
      }
  });
});

describe('the JSON schemas', () => {
  // The names of pairs follow the rule that the component FormPairs states.
  test.each(operations)(
    'accept the examples of %s in JSON, and pairs have the names of its members',
    (_, operation) => {
      for (const extent of ['full', 'minimal'] as const) {
        const input = exampleOf(operation.input, extent);
        const output = exampleOf(operation.output, extent);
        const check = (schema: object, value: unknown, coerceTypes = false) => {
          const validate = ajv(coerceTypes).compile(schema);
          expect([validate(value), validate.errors]).toEqual([true, null]);
        };
        const { json, form } = protocols;
        check(
          deriveJsonSchema(operation.input, 'input'),
          JSON.parse(json.encodeRequest(service, operation, input).body),
        );
        check(deriveJsonSchema(operation.output, 'output'), JSON.parse(json.encode(operation, output).body));
        check(
          deriveFormSchema(operation.input, 'input'),
          pairs(form.encodeRequest(service, operation, input).body),
          true,
        );
        check(deriveFormSchema(operation.output, 'output'), pairs(form.encode(operation, output).body), true);
      }
    },
  );

  const card = { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: 'A B' };
  const store = { merchantAccount: 'M', shopperReference: 's', recurring: { contract: 'ONECLICK' }, card };

  test.each([
    ['the plain one', {}, true],
    ['a combination in any order with spaces', { recurring: { contract: 'RECURRING , ONECLICK' } }, true],
    ['a tolerated extra', { applicationInfo: { adyenLibrary: {} } }, true],
    ['a misspelt field', { shoperEmail: 'a@b.example' }, false],
    ['a misspelt field of a card', { card: { ...card, cvv: '737' } }, false],
    ['an unknown contract', { recurring: { contract: 'MONTHLY' } }, false],
    ['no payment details', { card: undefined }, false],
    [
      'two payment details',
      { elv: { accountHolderName: 'A', bankAccountNumber: '1', bankLocationId: '10000000' } },
      false,
    ],
    ['a bank account without a number', { card: undefined, bank: { ownerName: 'Anna' } }, false],
    ['a number that is a number', { card: { ...card, number: 4111111111111111 } }, false],
    ['an empty shopper', { shopperReference: '' }, false],
  ])('validate a storeToken with %s', (_, change, valid) => {
    const validate = ajv().compile(deriveJsonSchema(service.operations.get('storeToken')!.input, 'input'));
    expect(validate(JSON.parse(JSON.stringify({ ...store, ...change })))).toBe(valid);
  });
});

describe('OpenAPI', () => {
  const openApi = JSON.parse(JSON.stringify(deriveOpenApi(newestOf(services), 'https://pay.example')));

  const everyComponent = JSON.stringify({ $id: 'openapi', $defs: openApi.components.schemas });
  ajv().addSchema(JSON.parse(everyComponent.replaceAll('#/components/schemas/', '#/$defs/')));
  const compile = (name: string) => ajv().compile({ $ref: `openapi#/$defs/${name}` });

  test('every component compiles and every reference resolves', () => {
    const names = Object.keys(openApi.components.schemas);
    const references = [...JSON.stringify(openApi).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)];
    expect(references.length).toBeGreaterThan(100);
    for (const [, kind = '', name = ''] of references) expect(openApi.components[kind]).toHaveProperty([name]);
    for (const name of names) expect(compile(name)).toBeInstanceOf(Function);
  });

  test.each([
    ['ServiceError', protocols.json, (body: string) => JSON.parse(body)],
    ['FormServiceError', protocols.form, pairs],
  ] as const)('an error response is a %s', (name, protocol, parse) => {
    const operation = service.operations.get('disable')!;
    const path = ['recurringDetailReference'];
    const requestReference = '8815252013129012';
    const refused = [Problem.at(path, recurringProblems.detailNotFound), new Problem('internal')].map((problem) =>
      parse(protocol.encodeError(problem, { requestReference, operation, service }).body),
    );
    const validate = compile(name);
    for (const each of refused) expect([validate(each), validate.errors]).toEqual([true, null]);
    expect(JSON.stringify(refused[0])).toContain('additionalData');
    expect(compile(name)({ ...refused[0], status: undefined })).toBe(false);
  });

  test('the schemas of every operation accept its examples', () => {
    for (const [, operation] of operations) {
      const { requestBody, responses } = openApi.paths[`${home}/${operation.name}`].post;
      const named = ({ content }: { content: Record<string, { schema: { $ref: string } }> }, type: string) =>
        content[type]!.schema.$ref.replace(/^.*\//, '');
      const input = exampleOf(operation.input, 'full');
      const output = exampleOf(operation.output, 'full');
      const { json } = protocols;
      const isInputValid = compile(named(requestBody, 'application/json'))(
        JSON.parse(json.encodeRequest(service, operation, input).body),
      );
      const isOutputValid = compile(named(responses['200'], 'application/json'))(
        JSON.parse(json.encode(operation, output).body),
      );
      expect([operation.name, isInputValid, isOutputValid]).toEqual([operation.name, true, true]);
    }
  });
});
