/** Redacts the output of an operation for storage: values that are shown only once are masked or removed. */
import type { Operation } from '../contract/operation.ts';
import type { ScalarSchema, Schema } from '../contract/schema.ts';
import { walk } from '../contract/walk.ts';

/** Returns the value to store; undefined removes it. */
type Redact = (value: unknown) => unknown;

/** `************2357`: as long as the text, with its last four characters. */
export function maskAllButLast4(text: string): string {
  return text.slice(-4).padStart(text.length, '*');
}

/** Undefined for an operation whose output shows nothing only once. */
const compiled = new WeakMap<Operation, { readonly redact: Redact | undefined }>();

/** The output as a retry receives it: without security codes, and with masked card numbers. */
export function redactOutput(operation: Operation, output: unknown): unknown {
  let known = compiled.get(operation);
  if (known === undefined) {
    known = { redact: compile(operation.output) };
    compiled.set(operation, known);
  }
  return known.redact === undefined ? output : known.redact(output);
}

/** Undefined where nothing is redacted, which is nearly always so. */
function compile(schema: Schema): Redact | undefined {
  return walk<Redact | undefined>(schema, {
    scalar,
    joined: () => undefined,
    list: (_, item) => item && ((value) => (value as readonly unknown[]).map(item)),
    map: (_, item) =>
      item && ((value) => definedEntries(Object.entries(value as object).map(([key, each]) => [key, item(each)]))),
    object(_, members) {
      const redacted = new Map(members.flatMap(({ name, part }) => (part === undefined ? [] : [[name, part]])));
      if (redacted.size === 0) return undefined;
      return (value) =>
        definedEntries(
          Object.entries(value as object).map(([name, each]) => {
            const redact = redacted.get(name);
            return [name, redact === undefined || each === undefined ? each : redact(each)];
          }),
        );
    },
  });
}

function scalar(schema: ScalarSchema): Redact | undefined {
  if (schema.kind !== 'string') return undefined;
  if (schema.neverStored) return () => undefined;
  return schema.storeAs === 'last4' ? (value) => maskAllButLast4(String(value)) : undefined;
}

function definedEntries(entries: readonly (readonly [string, unknown])[]) {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
