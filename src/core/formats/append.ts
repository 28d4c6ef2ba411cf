/** Prints values by appending to a text. Each append costs, so fixed texts that follow each other are joined once. */
import { ownMembers, type ScalarSchema } from '../contract/index.ts';

/** Returns the text with the printed value behind it. */
export type Append = (text: string, value: unknown) => string;

/** How the value of a member or an item is printed: the fixed texts around it, and itself. */
export interface Part {
  readonly before: string;
  readonly append: Append;
  readonly after: string;
}

/** An item of a list. */
interface ItemPart extends Part {
  /** The text of an item that is null; absent where there are none. */
  readonly nil?: string | undefined;
}

export interface MemberPart extends Part {
  readonly name: string;
  /** The text that stands for an absent member, without separators; by default none. */
  readonly absent?: string;
}

/** The fixed texts of an object or a list. */
export interface Frame {
  readonly start: string;
  readonly separator: string;
  readonly end: string;
  /** Instead of all others, where nothing is inside. */
  readonly empty: string;
}

/** Appends the members of an object in the order of the contract, or the text for those that are absent. */
export function compileMembers(members: readonly MemberPart[], { start, separator, end, empty }: Frame): Append {
  const count = members.length;
  const names = members.map(({ name }) => name);
  const appends = members.map(({ append }) => append);
  // Texts of absent members are part of the fixed texts between present ones, so they cost no append of their own.
  const absent = members.map(({ absent: text = '' }) => text);
  const separated = absent.map((text) => (text === '' ? '' : text + separator));
  let absentBefore = '';
  const starts = members.map(({ before }, at) => {
    const text = flat(start, absentBefore, before);
    absentBefore = flat(absentBefore, separated[at]!);
    return text;
  });
  let absentAfter = '';
  const ends = members
    .toReversed()
    .map(({ after }, fromEnd) => {
      const text = flat(after, absentAfter, end);
      const own = absent[count - 1 - fromEnd]!;
      absentAfter = own === '' ? absentAfter : flat(separator, own, absentAfter);
      return text;
    })
    .toReversed();
  // The text from one member to the next present one, by both. Most pairs never occur.
  const between = new Array<string | undefined>(count * count).fill(undefined);
  const join = (from: number, to: number): string => {
    const text = flat(members[from]!.after, separator, ...separated.slice(from + 1, to), members[to]!.before);
    between[from * count + to] = text;
    return text;
  };
  const membersIn = ownMembers(names);
  return (text, value) => {
    const object = membersIn(value);
    let last = -1;
    let printed = text;
    for (let at = 0; at < count; at++) {
      const member = object[names[at]!];
      if (member === undefined) continue;
      printed += last === -1 ? starts[at] : (between[last * count + at] ?? join(last, at));
      printed = appends[at]!(printed, member);
      last = at;
    }
    return last === -1 ? text + empty : printed + ends[last];
  };
}

/** Appends the items of a list. */
export function compileItems(part: ItemPart, frame: Frame): Append {
  const { before, append, after, nil } = part;
  const { start, separator, end, empty } = frame;
  if (nil !== undefined) return compileNullableItems({ ...part, nil }, frame);
  const first = flat(start, before);
  const between = flat(after, separator, before);
  const last = flat(after, end);
  return (text, value) => {
    const items = value as readonly unknown[];
    if (items.length === 0) return text + empty;
    let printed = text;
    for (let at = 0; at < items.length; at++) printed = append(printed + (at === 0 ? first : between), items[at]);
    return printed + last;
  };
}

function compileNullableItems(
  { before, append, after, nil }: Part & { readonly nil: string },
  { start, separator, end, empty }: Frame,
): Append {
  return (text, value) => {
    const items = value as readonly unknown[];
    if (items.length === 0) return text + empty;
    let printed = text + start;
    for (const [at, item] of items.entries()) {
      if (at > 0) printed += separator;
      printed = item === null ? printed + nil : append(printed + before, item) + after;
    }
    return printed + end;
  };
}

/** Chooses how a scalar is appended. */
export function scalarAppend({ kind }: ScalarSchema, text: Append, dateTime: Append): Append {
  switch (kind) {
    case 'string':
    case 'decimal':
    case 'date':
    case 'binary':
    case 'enum':
      return text;
    case 'integer':
    case 'boolean':
      return appendPlain;
    case 'double':
      return appendDouble;
    case 'dateTime':
      return dateTime;
    default:
      return kind satisfies never;
  }
}

function appendPlain(text: string, value: unknown): string {
  return text + String(value);
}

/** Without the plus sign of an exponent, which means a blank in a form. */
function appendDouble(text: string, value: unknown): string {
  return text + String(value).replace('+', '');
}

/** One string in memory. What `+` returns is two, which every copy visits again. */
export function flat(...texts: readonly string[]): string {
  return texts.join('');
}
