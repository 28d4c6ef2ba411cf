/** Redacts the output of an operation for storage: values that are shown only once are masked or removed. */
import { type Fault, faultOf, type Operation } from '../contract/operation.ts';
import type { Problem } from '../contract/problem.ts';
import { createRedactor, maskAllButLast4, type Redact } from '../contract/redaction.ts';
import type { ObjectSchema, ScalarSchema } from '../contract/schema.ts';
import { walk } from '../contract/walk.ts';

const redact = createRedactor(scalar);

/** The output as a retry receives it: without security codes, and with masked card numbers. */
export function redactOutput({ output: schema }: Operation, output: unknown): unknown {
  return redact(schema, output);
}

/** The data of a fault, redacted in the same way. */
export function redactFault({ detail }: Fault, value: unknown): unknown {
  return redact(detail, value);
}

const sensitive = new WeakMap<ObjectSchema, boolean>();

/** Whether the redacted output, or the data of the refusal, may still have what the contract calls sensitive. */
export function keepsSensitive(operation: Operation, refusal?: Problem): boolean {
  if (refusal === undefined) return holdsSensitive(operation.output);
  // Nothing says what another server writes there.
  if (refusal.detail !== undefined) return true;
  const detail = refusal.fault === undefined ? undefined : faultOf(operation, refusal.kind)?.detail;
  return detail !== undefined && holdsSensitive(detail);
}

function holdsSensitive(message: ObjectSchema): boolean {
  let known = sensitive.get(message);
  if (known === undefined) {
    known =
      walk<true | undefined>(message, {
        scalar: (schema) =>
          schema.kind === 'string' && schema.sensitive && scalar(schema) === undefined ? true : undefined,
        joined: () => undefined,
        list: (_, item) => item,
        map: (_, item) => item,
        object: (_, members) => (members.some(({ part }) => part) ? true : undefined),
        variants: (_, own, others) => own ?? others.find((each) => each),
        self: () => undefined,
      }) === true;
    sensitive.set(message, known);
  }
  return known;
}

function scalar(schema: ScalarSchema): Redact | undefined {
  if (schema.kind !== 'string') return undefined;
  if (schema.neverStored) return () => undefined;
  return schema.storeAs === 'last4' ? (value) => maskAllButLast4(String(value)) : undefined;
}
