/** Prints canonical values as pairs: `details.0.card.number=1111`, blanks as `+`. */
import { formStep, ownMembers, type Schema, type Visited, variantChooser, walk } from '../../contract/index.ts';
import { memoizeWeakly } from '../../lib/index.ts';
import { type Append, flat, scalarAppend } from '../append.ts';
import type { Print } from '../codec.ts';
import type { FormatDateTime } from '../date-time.ts';
import { nilMark } from './read.ts';

export const mediaType = 'application/x-www-form-urlencoded';
export const contentType = `${mediaType};charset=utf-8`;

export function compilePrint(schema: Schema, formatDateTime: FormatDateTime): Print {
  return compilePrintUnder('', schema, formatDateTime);
}

/** `prefix` comes before every key; empty for none. */
export function compilePrintUnder(prefix: string, schema: Schema, formatDateTime: FormatDateTime): Print {
  const append = compile(schema, formatDateTime)(`&${prefix}`, { count: 0 });
  const root: Place = { key: '', starts: [] };
  return (value) => append('', root, value).slice(1);
}

/** Encodes as the forms of browsers and Java do. */
export function encode(text: string): string {
  if (plain.test(text)) return text;
  if (plainWithBlanks.test(text)) return text.replaceAll(' ', '+');
  // It throws for half a surrogate pair.
  return encodeURIComponent(text.toWellFormed()).replace(/%20|[!'()~]/g, (sign) => others[sign]!);
}

/** Adds the pair of the Idempotency-Key to a body. */
export function withKey(body: string, field: string, key: string | undefined): string {
  return key === undefined ? body : `${body}${body === '' ? '' : '&'}${encode(field)}=${encode(key)}`;
}

const plain = /^[A-Za-z0-9._*-]*$/;
const plainWithBlanks = /^[A-Za-z0-9._* -]*$/;

/** Where encodeURIComponent differs from a form. */
const others: Readonly<Record<string, string>> = {
  '%20': '+',
  '!': '%21',
  "'": '%27',
  '(': '%28',
  ')': '%29',
  '~': '%7E',
};

/** Where a value is: in an item of a list, or outside of any. */
interface Place {
  /** `&` and the key of the item; empty outside a list. */
  readonly key: string;
  /** The texts before values at this place, by the number of the value's schema; absent where they are not cached. */
  readonly starts: (string | undefined)[] | undefined;
}

type AppendAt = (text: string, place: Place, value: unknown) => string;

/** Counts the texts of a message that are compiled for their keys. */
interface Starts {
  count: number;
}

/** More than messages have; what is beyond them is compiled once for all places. */
const startsMax = 2_000;

/** Compiles the pairs of a value for its key below the place. */
type CompileAt = (key: string, starts: Starts) => AppendAt;

const visitedBy = memoizeWeakly((_: FormatDateTime): Visited<CompileAt> => new WeakMap());

function compile(schema: Schema, formatDateTime: FormatDateTime): CompileAt {
  const appendDateTime: Append = (text, value) => text + formatDateTime(value as number, 'form');
  const compileText =
    (append: Append): CompileAt =>
    (key, counter) => {
      const number = counter.count++;
      const start = `${key}=`;
      return (text, { key, starts }, value) => {
        if (starts === undefined) return append(text + key + start, value);
        starts[number] ??= flat(key, start);
        return append(text + starts[number], value);
      };
    };
  return walk<CompileAt>(
    schema,
    {
      scalar: (scalar) => compileText(scalarAppend(scalar, appendText, appendDateTime)),
      joined: () => compileText((text, value) => appendText(text, (value as string[]).join(','))),
      list:
        ({ whenEmpty }, item) =>
        (key, starts) => {
          const append = item('', starts);
          const placeOf = compilePlaces(key);
          return (text, place, value) => {
            const items = value as readonly unknown[];
            let printed = text;
            for (const [index, each] of items.entries()) {
              const at = placeOf(place, index);
              printed = each === null ? `${printed}${at.key}.${encode(nilMark)}=true` : append(printed, at, each);
            }
            return whenEmpty !== undefined && items.length === 0 ? `${text}${place.key}${key}=` : printed;
          };
        },
      map:
        ({ whenEmpty }) =>
        (key) =>
        (text, place, value) => {
          let printed = text;
          for (const [name, entry] of Object.entries(value as Readonly<Record<string, string>>))
            printed = appendText(`${printed}${place.key}${key}.${encode(name)}=`, entry);
          return whenEmpty !== undefined && printed === text ? `${text}${place.key}${key}=` : printed;
        },
      variants: (schema, own, others) =>
        forAllPlaces((key, starts) => {
          const appendOf = variantChooser(
            schema,
            own(key, starts),
            others.map((each) => each(key, starts)),
          );
          return (text, place, value) => appendOf(value)(text, place, value);
        }, schema.recursion !== undefined),
      self: (_, whole) => atPlace(() => whole()('', { count: startsMax })),
      object: ({ json, emptyObject, recursion }, members) =>
        forAllPlaces((key, starts) => {
          const isKept = json !== undefined || (emptyObject !== undefined && key !== '&');
          const parts = members.map(({ name, part }) => ({
            name,
            append: part(key === '&' ? `&${encodedStep(name)}` : `${key}.${encodedStep(name)}`, starts),
          }));
          const membersIn = ownMembers(members.map(({ name }) => name));
          return (text, place, value) => {
            const object = membersIn(value);
            let printed = text;
            for (const { name, append } of parts) {
              const member = object[name];
              if (member !== undefined) printed = append(printed, place, member);
            }
            // Items are counted without gaps, and one of them may be an empty list.
            return isKept && printed === text ? `${text}${place.key}${key}=` : printed;
          };
        }, recursion !== undefined),
    },
    visitedBy(formatDateTime),
  );
}

/** Compiles an object for its key; once for all keys where it is in itself, or a message has very many texts. */
function forAllPlaces(compileAt: CompileAt, isRecursive: boolean): CompileAt {
  const whole = atPlace(() => compileAt('', { count: startsMax }));
  return (key, starts) =>
    key !== '&' && (isRecursive || starts.count >= startsMax) ? whole(key, starts) : compileAt(key, starts);
}

/** The key of the place says where the value is. Compiled at its first use. */
function atPlace(compile: () => AppendAt): CompileAt {
  let append: AppendAt | undefined;
  return (key) => (text, place, value) => {
    append ??= compile();
    return append(text, { key: `${place.key}${key}`, starts: undefined }, value);
  };
}

/** Only the dots of a name are not those between names. */
function encodedStep(name: string): string {
  return name.includes('.') ? encode(formStep(name)) : name;
}

const knownMax = 1_000;

/** Returns the place of an item. Those of lists outside any other list are the same each time. */
function compilePlaces(key: string): (around: Place, index: number) => Place {
  const known: Place[] = [];
  return (around, index) => {
    if (around.key !== '' || index >= knownMax) return { key: `${around.key}${key}.${index}`, starts: undefined };
    known[index] ??= { key: flat(key, '.', String(index)), starts: [] };
    return known[index];
  };
}

function appendText(text: string, value: unknown): string {
  return text + encode(value as string);
}
