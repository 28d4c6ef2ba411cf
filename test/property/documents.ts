/** Documents: every request and every answer is valid against the derived schemas. */
import fc from 'fast-check';
import type { ObjectSchema } from '../../src/core/contract/schema.ts';
import { formats } from '../formats/index.ts';
import { arbitrary } from '../support/generate.ts';
import { seed } from '../support/seed.ts';
import { failure, namesOf, type Property } from './property.ts';

const values = (shape: ObjectSchema, numRuns: number) => fc.sample(arbitrary(shape), { numRuns, seed });

export const messagesMatchDocuments: Property = (subject) => {
  const { protocols, service, operation, runs } = subject;
  const outputs = [{}, ...values(operation.output, runs)];
  const inputs = values(operation.input, runs);
  for (const name of namesOf(subject)) {
    const { encodeRequest, encode } = protocols[name];
    // The empty answer is valid only where the output has no required field.
    const answers = outputs.slice(mayBeEmpty(operation.output) ? 0 : 1).map((output) => encode(operation, output).body);
    const requests = inputs.map((input) => encodeRequest(service, operation, input).body);
    const { findInvalid } = formats[name];
    const fault =
      findInvalid(service, operation, 'output', answers) ?? findInvalid(service, operation, 'input', requests);
    if (fault !== undefined) return failure(`${name}: ${fault}`);
  }
  return undefined;
};

const mayBeEmpty = (shape: ObjectSchema): boolean => Object.values(shape.fields).every(({ required }) => !required);
