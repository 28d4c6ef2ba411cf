/** Redacts the output of an operation for storage: values that are shown only once are masked or removed. */
import type { Operation } from '../contract/operation.ts';
import { compileRedaction, maskAllButLast4, type Redact } from '../contract/redaction.ts';
import type { ScalarSchema } from '../contract/schema.ts';

/** Undefined for an operation whose output shows nothing only once. */
const compiled = new WeakMap<Operation, { readonly redact: Redact | undefined }>();

/** The output as a retry receives it: without security codes, and with masked card numbers. */
export function redactOutput(operation: Operation, output: unknown): unknown {
  let known = compiled.get(operation);
  if (known === undefined) {
    known = { redact: compileRedaction(operation.output, scalar) };
    compiled.set(operation, known);
  }
  return known.redact === undefined ? output : known.redact(output);
}

function scalar(schema: ScalarSchema): Redact | undefined {
  if (schema.kind !== 'string') return undefined;
  if (schema.neverStored) return () => undefined;
  return schema.storeAs === 'last4' ? (value) => maskAllButLast4(String(value)) : undefined;
}
