/**
 * The command: an operation with its canonical input as one text, the same for every request that means the same.
 *
 * What a caller may write in two ways is written in one: members and keys in the order of their names, no zero before a
 * month. What must never be known again (the security code) is not in it. The rest is as RFC 8785 prints JSON.
 */
import type { Operation } from '../contract/operation.ts';
import type { ScalarSchema, Schema } from '../contract/schema.ts';
import { hashNameOf, type Service } from '../contract/service.ts';
import { walk } from '../contract/walk.ts';

type Write = (value: unknown) => string;

const isForgotten = (shape: Schema): boolean => shape.kind === 'string' && shape.neverStored === true;

const scalar = (shape: ScalarSchema): Write =>
  shape.kind === 'string' && shape.numeric
    ? (value) => JSON.stringify(String(value).replace(/^0+(?=\d)/, ''))
    : JSON.stringify;

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

const compile = (shape: Schema): Write =>
  walk<Write>(shape, {
    scalar,
    // A set stands in the order of its enumeration.
    joined: () => JSON.stringify,
    list: (_, item) => (value) => `[${(value as readonly unknown[]).map(item).join()}]`,
    // Reading has put the keys in order.
    map: (_, item) => {
      if (item === undefined) return JSON.stringify;
      return (value) => {
        const entries = Object.entries(value as Readonly<Record<string, unknown>>);
        return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${item(each)}`).join()}}`;
      };
    },
    object(_, members) {
      const kept = members
        .filter(({ field }) => !isForgotten(field.schema))
        .sort(byName)
        .map(({ name, part }) => ({ name, label: `${JSON.stringify(name)}:`, part }));
      return (value) => {
        const object = value as Readonly<Record<string, unknown>>;
        const written = kept.flatMap(({ name, label, part }) =>
          object[name] === undefined ? [] : [label + part(object[name])],
        );
        return `{${written.join()}}`;
      };
    },
  });

interface Hashed {
  readonly service: Service;
  readonly operation: Operation;
  readonly input: unknown;
}

const compiled = new WeakMap<Operation, Write>();

/** `disable {"merchantAccount":"DemoMerchant",...}`. Holds card numbers: for a keyed fingerprint only. */
export const canonicalRequestText = ({ service, operation, input }: Hashed): string => {
  let write = compiled.get(operation);
  if (write === undefined) {
    write = compile(operation.input);
    compiled.set(operation, write);
  }
  return `${hashNameOf(service, operation)} ${write(input)}`;
};
