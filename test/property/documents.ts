/** Documents: every request and every answer is valid against the derived schemas. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { ObjectSchema } from '../../src/contract/schema.ts';
import { deriveFormSchema } from '../../src/documents/form-schema.ts';
import { deriveJsonSchema, type JsonSchema, type Side } from '../../src/documents/json-schema.ts';
import type { NamedProtocol } from '../../src/formats/index.ts';
import { arbitrary } from '../support/generate.ts';
import { seed } from '../support/seed.ts';
import { firstInvalid } from '../support/xmllint.ts';
import { failure, namesOf, type Property, type Subject } from './property.ts';

type Check = (subject: Subject, side: Side, bodies: readonly string[]) => string | undefined;

const bySchema =
  (
    derive: (shape: ObjectSchema, side: Side) => JsonSchema,
    parse: (body: string) => unknown,
    coerceTypes = false,
  ): Check =>
  ({ operation }, side, bodies) => {
    const ajv = new Ajv2020({ allErrors: true, strictTypes: false, coerceTypes });
    addFormats.default(ajv);
    const validate: ValidateFunction = ajv.compile(derive(operation[side], side));
    const invalid = bodies.find((body) => !validate(parse(body)));
    if (invalid === undefined) return undefined;
    validate(parse(invalid));
    return `${ajv.errorsText(validate.errors)}\n${invalid}`;
  };

const byXsd: Check = ({ service }, _side, bodies) => firstInvalid(service, bodies);

/** Every value of a form is text; the validator converts it to the type of the schema (OpenAPI 3.1, urlencoded bodies). */
const pairs = (body: string): Readonly<Record<string, string>> => Object.fromEntries(new URLSearchParams(body));

/** The adapter has no document of its own: its pairs are those of the form with a prefix. */
const unprefixed = (body: string) =>
  Object.fromEntries(
    Object.entries(pairs(body))
      .filter(([key]) => key !== 'action')
      .map(([key, value]) => [key.slice(key.indexOf('.') + 1), value]),
  );

const checks: Readonly<Record<NamedProtocol, Check>> = {
  soap11: byXsd,
  soap12: byXsd,
  json: bySchema(deriveJsonSchema, (body) => JSON.parse(body)),
  form: bySchema(deriveFormSchema, pairs, true),
  adapter: bySchema(deriveFormSchema, unprefixed, true),
};

const values = (shape: ObjectSchema, numRuns: number) => fc.sample(arbitrary(shape), { numRuns, seed });

export const messagesMatchDocuments: Property = (subject) => {
  const { protocols, service, operation, runs } = subject;
  const outputs = [{}, ...values(operation.output, runs)];
  const inputs = values(operation.input, runs);
  for (const name of namesOf(protocols)) {
    const { encodeRequest, encode } = protocols[name];
    // The empty answer is valid only where the output has no required field.
    const answers = outputs.slice(mayBeEmpty(operation.output) ? 0 : 1).map((output) => encode(operation, output).body);
    const requests = inputs.map((input) => encodeRequest(service, operation, input).body);
    const fault = checks[name](subject, 'output', answers) ?? checks[name](subject, 'input', requests);
    if (fault !== undefined) return failure(`${name}: ${fault}`);
  }
  return undefined;
};

const mayBeEmpty = (shape: ObjectSchema): boolean => Object.values(shape.fields).every(({ required }) => !required);
