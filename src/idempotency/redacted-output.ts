/** What of an answer may be kept for a retry: all of it, but nothing that is shown only once. */
import type { Operation } from '../contract/operation.ts';
import type { ScalarSchema, Schema } from '../contract/schema.ts';
import { walk } from '../contract/walk.ts';

/** Gives the value that is kept; undefined: nothing of it. */
type Keep = (value: unknown) => unknown;

/** `************2357`: as long as the text, with its last four characters. */
export const maskAllButLast4 = (text: string): string => text.slice(-4).padStart(text.length, '*');

const scalar = (shape: ScalarSchema): Keep | undefined => {
  if (shape.kind !== 'string') return undefined;
  if (shape.neverStored) return () => undefined;
  return shape.storeAs === 'last4' ? (value) => maskAllButLast4(String(value)) : undefined;
};

const changed = (entries: readonly (readonly [string, unknown])[]) =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined));

/** Undefined where the whole value is kept as it is, which it nearly always is. */
const compile = (shape: Schema): Keep | undefined =>
  walk<Keep | undefined>(shape, {
    scalar,
    joined: () => undefined,
    list: (_, item) => item && ((value) => (value as readonly unknown[]).map(item)),
    map: (_, item) =>
      item && ((value) => changed(Object.entries(value as object).map(([key, each]) => [key, item(each)]))),
    object(_, members) {
      const keeps = new Map(members.flatMap(({ name, part }) => (part === undefined ? [] : [[name, part]])));
      if (keeps.size === 0) return undefined;
      return (value) =>
        changed(
          Object.entries(value as object).map(([name, each]) => {
            const keep = keeps.get(name);
            return [name, keep === undefined || each === undefined ? each : keep(each)];
          }),
        );
    },
  });

const compiled = new WeakMap<Operation, Keep>();

/** The output of an operation as a retry gets it: without security codes, card numbers masked. */
export const redactOutput = (operation: Operation, output: unknown): unknown => {
  let keep = compiled.get(operation);
  if (keep === undefined) {
    keep = compile(operation.output) ?? ((value) => value);
    compiled.set(operation, keep);
  }
  return keep(output);
};
