/** Redacts the output of an operation for storage: values that are shown only once are masked or removed. */
import type { Operation } from '../contract/operation.ts';
import { createRedactor, maskAllButLast4, type Redact } from '../contract/redaction.ts';
import type { ScalarSchema } from '../contract/schema.ts';
import { walk } from '../contract/walk.ts';

const redact = createRedactor(scalar);

/** The output as a retry receives it: without security codes, and with masked card numbers. */
export function redactOutput({ output: schema }: Operation, output: unknown): unknown {
  return redact(schema, output);
}

const sensitive = new WeakMap<Operation, boolean>();

/** Whether the redacted output may still have what the contract calls sensitive. */
export function keepsSensitive(operation: Operation): boolean {
  let known = sensitive.get(operation);
  if (known === undefined) {
    known =
      walk<true | undefined>(operation.output, {
        scalar: (schema) =>
          schema.kind === 'string' && schema.sensitive && scalar(schema) === undefined ? true : undefined,
        joined: () => undefined,
        list: (_, item) => item,
        map: (_, item) => item,
        object: (_, members) => (members.some(({ part }) => part) ? true : undefined),
      }) === true;
    sensitive.set(operation, known);
  }
  return known;
}

function scalar(schema: ScalarSchema): Redact | undefined {
  if (schema.kind !== 'string') return undefined;
  if (schema.neverStored) return () => undefined;
  return schema.storeAs === 'last4' ? (value) => maskAllButLast4(String(value)) : undefined;
}
