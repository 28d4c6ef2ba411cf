/** Checks messages against a JSON Schema. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from '../../src/documents/json-schema.ts';
import type { Invalid } from './format.ts';

/** Returns the fault and the text of the first invalid message. `coerceTypes` reads texts as the types of the schema. */
export function findInvalid(
  schema: JsonSchema,
  bodies: readonly string[],
  parse: (body: string) => unknown,
  { coerceTypes = false } = {},
): Invalid {
  const ajv = coerceTypes ? coercing : strict;
  const validate: ValidateFunction = ajv.compile(schema);
  for (const body of bodies) if (!validate(parse(body))) return `${ajv.errorsText(validate.errors)}\n${body}`;
  return undefined;
}

// Each compiles the schema of schemas, which takes longer than to check a thousand messages.
const [strict, coercing] = [createAjv(false), createAjv(true)];

function createAjv(coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, coerceTypes });
  addFormats.default(ajv);
  return ajv;
}
