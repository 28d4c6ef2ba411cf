/** Redacts the output of an operation for storage: values that are shown only once are masked or removed. */
import type { Operation } from '../contract/operation.ts';
import { createRedactor, maskAllButLast4, type Redact } from '../contract/redaction.ts';
import type { ScalarSchema } from '../contract/schema.ts';

const redact = createRedactor(scalar);

/** The output as a retry receives it: without security codes, and with masked card numbers. */
export function redactOutput({ output: schema }: Operation, output: unknown): unknown {
  return redact(schema, output);
}

function scalar(schema: ScalarSchema): Redact | undefined {
  if (schema.kind !== 'string') return undefined;
  if (schema.neverStored) return () => undefined;
  return schema.storeAs === 'last4' ? (value) => maskAllButLast4(String(value)) : undefined;
}
