/** Redacts values by their schemas: each scalar may be replaced or removed. */
import { memoizeWeakly } from '../lib/index.ts';
import { isSecret } from './scalar.ts';
import { type ScalarSchema, type Schema, variantChooser } from './schema.ts';
import { isCardNumber, maskText } from './secret-text.ts';
import { mapItems, type Visited, walk } from './walk.ts';

/** Returns the value that takes the place of another; undefined removes it. */
export type Redact = (value: unknown) => unknown;

/** `************2357`: as long as the text, with its last four characters. */
export function maskAllButLast4(text: string): string {
  return text.slice(-4).padStart(text.length, '*');
}

/** Returns how values of a scalar are redacted; undefined where they are not. */
type RedactScalar = (schema: ScalarSchema) => Redact | undefined;

/**
 * Returns a function that redacts a value by its schema. Each schema is compiled once. `text`: redacts the keys of maps, and the
 * values of those without a schema of their items, whose keys it gets.
 */
export function createRedactor(scalar: RedactScalar, text?: MaskText): (schema: Schema, value: unknown) => unknown {
  const visited: Visited<Redact | undefined> = new WeakMap();
  const redactOf = memoizeWeakly((schema: Schema) => compile(schema, scalar, text, visited));
  return (schema, value) => {
    const redact = redactOf(schema);
    return redact === undefined ? value : redact(value);
  };
}

/** Masks what is secret in a value, by its schema. */
export type MaskSecrets = (schema: Schema, value: unknown) => unknown;

/** Masks what the contract calls sensitive, and secrets in other texts: long numbers keep their last four characters. */
export const maskSensitive: MaskSecrets = createRedactor(
  (schema) =>
    maskScalar(schema) ??
    (schema.kind === 'string' ? (value) => maskText(String(value)) : isWide(schema) ? withoutCardNumber : undefined),
  maskText,
);

/** Masks secrets in a text. `name`: of the entry of a map that it stands in. */
type MaskText = (text: string, name?: string) => string;

/** Whether a number has as many digits as that of a card. */
function isWide(schema: ScalarSchema): boolean {
  return (
    (schema.kind === 'integer' && schema.max >= 1e12) ||
    (schema.kind === 'decimal' && schema.digits > 12) ||
    schema.kind === 'double'
  );
}

function withoutCardNumber(value: unknown): unknown {
  return isCardNumber(value) ? undefined : value;
}

/** Undefined where nothing is redacted, which is nearly always so. */
function compile(
  schema: Schema,
  scalar: RedactScalar,
  text: MaskText | undefined,
  visited: Visited<Redact | undefined>,
): Redact | undefined {
  return walk<Redact | undefined>(
    schema,
    {
      scalar,
      joined: () => undefined,
      list: (_, item) => item && ((value) => mapItems(value, item)),
      map: (map, item) => {
        // The values of a map without a schema of its items are texts.
        if (item === undefined && text === undefined) return undefined;
        const redactEntry = (key: string, each: unknown): unknown => {
          if (map.item !== undefined) return item === undefined ? each : item(each);
          return text === undefined ? each : text(String(each), key);
        };
        return (value) =>
          definedEntries(
            Object.entries(value as object).map(([key, each]) => [
              text === undefined ? key : text(key),
              redactEntry(key, each),
            ]),
          );
      },
      variants: (schema, own, others) => {
        if (own === undefined && others.every((each) => each === undefined)) return undefined;
        const redactOf = variantChooser(schema, own, others);
        return (value) => (redactOf(value) ?? ((each) => each))(value);
      },
      self: (_, whole) => (value) => (whole() ?? ((each) => each))(value),
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
    },
    visited,
  );
}

/** How sensitive values of a scalar are masked; undefined where they are not. */
export function maskScalar(schema: ScalarSchema): Redact | undefined {
  if (!isSecret(schema)) return undefined;
  // Only a text has characters to stand for others.
  if (schema.kind !== 'string') return () => undefined;
  return (value) => {
    const text = String(value);
    return schema.neverStored || text.length < shownLengthMin ? '*'.repeat(text.length) : maskAllButLast4(text);
  };
}

/** The text for people in place of a masked one: `<masked, ends in 1111>`. */
export function describeMasked(text: string): string {
  const shown = text.replace(/^\*+/, '');
  return shown === '' ? '<masked>' : `<masked, ends in ${shown}>`;
}

/** The last four characters of a shorter text would be too much of it. */
const shownLengthMin = 12;

function definedEntries(entries: readonly (readonly [string, unknown])[]) {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
