/**
 * Serializes an operation and its canonical input: the same text for equivalent requests in any format.
 *
 * Members and keys are sorted by name, and numeric texts have no leading zeros. Values that are never stored, such as the
 * security code, are left out. The rest is JSON as in RFC 8785.
 */
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import {
  base64Length,
  callWhole,
  hashNameOf,
  type Operation,
  ownMembers,
  type ScalarSchema,
  type Schema,
  type Service,
  type Visited,
  variantChooser,
  walk,
} from '../contract/index.ts';
import { spooledValue } from '../spool/index.ts';

type Write = (value: unknown) => string;

interface RequestInput {
  readonly service: Service;
  readonly operation: Operation;
  readonly input: unknown;
}

const compiled = new WeakMap<Operation, Write>();

/** `disable {"merchantAccount":"DemoMerchant",...}`. Contains card numbers: only for a keyed hash. */
export function canonicalRequestText({ service, operation, input }: RequestInput): string {
  let write = compiled.get(operation);
  if (write === undefined) {
    write = compile(operation.input);
    compiled.set(operation, write);
  }
  return `${hashNameOf(service, operation)} ${write(input)}`;
}

const visited: Visited<Write> = new WeakMap();

function compile(schema: Schema): Write {
  return walk<Write>(
    schema,
    {
      scalar,
      // Parsing has put a set in the order of its enumeration.
      joined: () => JSON.stringify,
      list: (_, item) => (value) => `[${(value as readonly unknown[]).map(item).join()}]`,
      // Parsing has sorted the keys.
      map: (_, item) => {
        if (item === undefined) return JSON.stringify;
        return (value) => {
          const entries = Object.entries(value as Readonly<Record<string, unknown>>);
          return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${item(each)}`).join()}}`;
        };
      },
      variants: (schema, own, others) => {
        const writeOf = variantChooser(schema, own, others);
        return (value) => writeOf(value)(value);
      },
      self: callWhole,
      object(_, members) {
        const hashed = members
          .filter(({ field }) => !isNeverStored(field.schema))
          .sort(byName)
          .map(({ name, part }) => ({ name, label: `${JSON.stringify(name)}:`, part }));
        const membersIn = ownMembers(hashed.map(({ name }) => name));
        return (value) => {
          const object = membersIn(value);
          let written = '';
          for (const { name, label, part } of hashed) {
            const member = object[name];
            if (member !== undefined) written += (written === '' ? '' : ',') + label + part(member);
          }
          return `{${written}}`;
        };
      },
    },
    visited,
  );
}

function scalar(schema: ScalarSchema): Write {
  if (schema.kind === 'binary') return (value) => JSON.stringify(bytesText(value as string));
  return schema.kind === 'string' && schema.numeric
    ? (value) => JSON.stringify(String(value).replace(/^0+(?=\d)/, ''))
    : JSON.stringify;
}

/** Longer bytes are hashed. Whether they are in memory or in a file depends on settings, and must not show. */
const hashedFrom = 262_144;

/** No base64 has a colon. */
function bytesText(base64: string): string {
  const spooled = spooledValue(base64);
  if (spooled === undefined && base64.length < base64Length(hashedFrom)) return base64;
  return `sha256:${spooled?.sha256 ?? hash('sha256', Buffer.from(base64, 'base64'), 'base64url')}`;
}

function isNeverStored(schema: Schema): boolean {
  return 'neverStored' in schema && schema.neverStored === true;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
