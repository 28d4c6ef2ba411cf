/** Parses XML documents with the place of each element: for files that people write, where a message names line and column. */
import type { Attribute, Element, Range } from './element.ts';
import type { Limits } from './limits.ts';
import { Malformed, type Position, parseWithPlaces } from './parse.ts';

/** An element with its place, its attributes and the prefixes that values in it may have. */
export interface LocatedElement {
  readonly namespace: string;
  readonly local: string;
  /** Attributes without a namespace, by name. Blanks around their values mean nothing in WSDL and XML Schema, save in values of data. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Attributes with a namespace. */
  readonly qualified: readonly Attribute[];
  readonly children: readonly LocatedElement[];
  readonly text: string;
  readonly parent: LocatedElement | undefined;
  /** The position of its first character. */
  readonly position: Position;
  /** URIs by prefix, those of the elements around it included. */
  readonly prefixes: Readonly<Record<string, string>>;
}

/** The attributes that hold values of data. */
const keepsBlanks: ReadonlySet<string> = new Set(['value', 'default', 'fixed']);

/** Prefixes of all elements that declare one, inherited prefixes included. */
const prefixesMax = 2_000_000;

/** Throws `Malformed` and no other error. A DOCTYPE is refused, and with it all entities. Processing instructions are ignored. */
export function parseLocated(text: string, limits: Limits): LocatedElement {
  const { root } = parseWithPlaces(text, limits, 'file');
  const positionOf = compilePositions(text);
  let prefixesSoFar = 0;
  const locate = (
    { namespace, local, attributes, children, text: content, place }: Element,
    parent: LocatedElement | undefined,
  ): LocatedElement => {
    const position = positionOf(place?.name ?? { start: 0, end: 0 });
    const around: LocatedElement['prefixes'] = parent?.prefixes ?? {};
    const names = Object.keys(place?.declared ?? {});
    const prefixes = names.length === 0 ? around : { ...around, ...place?.declared };
    if (names.length > 0) prefixesSoFar += Object.keys(prefixes).length;
    if (prefixesSoFar > prefixesMax) throw new Malformed('too many prefixes', position);
    const own: LocatedElement[] = [];
    const element: LocatedElement = {
      namespace,
      local,
      attributes: new Map(
        attributes.flatMap(({ namespace, local, value }) =>
          namespace === '' ? [[local, keepsBlanks.has(local) ? value : value.trim()] as const] : [],
        ),
      ),
      qualified: attributes.filter((each) => each.namespace !== ''),
      children: own,
      text: content,
      parent,
      position,
      prefixes,
    };
    for (const child of children) own.push(locate(child, element));
    return element;
  };
  return locate(root, undefined);
}

/** Returns the line and the column of the start of a part; both count from 1. */
function compilePositions(text: string): (range: Range) => Position {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), ({ index, 0: sign }) => index + sign.length)];
  return ({ start }) => {
    let low = 0;
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= start) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: start - starts[low]! + 1 };
  };
}
