/** Finds secrets, such as card numbers, in texts whose schema does not call them sensitive. */
import { memoizeWeakly } from '../lib/index.ts';
import { ownMembers, printableName } from './member-names.ts';
import type { Path } from './path.ts';
import { type ScalarSchema, type Schema, variantChooser } from './schema.ts';
import { type Visited, walk } from './walk.ts';

/** Recognizes secrets in a text. A service supplies it. */
export interface TextDetector {
  /** No shorter text holds a secret. */
  readonly lengthMin: number;
  detects(text: string): boolean;
  /** Returns the text with its secrets masked. */
  mask(text: string): string;
}

type Find = (value: unknown) => readonly Path[];

const none: readonly Path[] = Object.freeze([]);

/** Returns a function that finds the paths of such texts in a canonical value. Each schema is compiled once. */
export function createTextFinder(detector: TextDetector): (schema: Schema, value: unknown) => readonly Path[] {
  const { lengthMin } = detector;
  const detects = (text: string): boolean => text.length >= lengthMin && detector.detects(text);
  const findText: Find = (value) => (detects(value as string) ? here : none);
  const visited: Visited<Find | undefined> = new WeakMap();
  const findIn = memoizeWeakly(
    (schema: Schema): Find =>
      walk<Find | undefined>(
        schema,
        {
          scalar: (scalar) => (isFreeText(scalar, lengthMin) ? findText : undefined),
          joined: () => undefined,
          list: ({ itemName, wrapped }, item) =>
            item &&
            ((value) =>
              (value as readonly unknown[]).flatMap((each, index) =>
                below({ index, itemName, wrapped }, each === null ? none : item(each)),
              )),
          map: (map, item) => (value) => {
            // The values of a map without a schema of its items are texts.
            const ofItem = map.item === undefined ? findText : item;
            let found = none;
            const entries = value as Readonly<Record<string, unknown>>;
            for (const key of Object.keys(entries)) {
              const paths = detects(key) ? here : (ofItem?.(entries[key]) ?? none);
              if (paths.length > 0) found = [...found, ...below(printableName(key), paths)];
            }
            return found;
          },
          variants: (schema, own, others) => {
            const findOf = variantChooser(schema, own, others);
            return own === undefined && others.every((each) => each === undefined)
              ? undefined
              : (value) => findOf(value)?.(value) ?? none;
          },
          self: (_, whole) => (value) => whole()?.(value) ?? none,
          object(_, members) {
            const parts = members.flatMap(({ name, part }) => (part === undefined ? [] : [{ name, part }]));
            if (parts.length === 0) return undefined;
            const membersIn = ownMembers(parts.map(({ name }) => name));
            return (value) => {
              const object = membersIn(value);
              let found = none;
              for (const { name, part } of parts) {
                const each = object[name];
                if (each === undefined) continue;
                const paths = part(each);
                if (paths.length > 0) found = [...found, ...below(name, paths)];
              }
              return found;
            };
          },
        },
        visited,
      ) ?? (() => none),
  );
  return (schema, value) => findIn(schema)(value);
}

const here: readonly Path[] = Object.freeze([[]]);

function below(step: Path[number], paths: readonly Path[]): readonly Path[] {
  return paths.length === 0 ? paths : paths.map((path) => [step, ...path]);
}

function isFreeText(schema: ScalarSchema, lengthMin: number): boolean {
  if (schema.kind !== 'string' || schema.neverStored || (schema.sensitive && !schema.searched)) return false;
  return schema.max === undefined || schema.max >= lengthMin;
}
