/** Finds where a member of the contract is in pairs of names and values. */
import { printableName } from '../../contract/member-names.ts';
import { dotted, type Path } from '../../contract/path.ts';
import type { Range } from '../../lib/xml/outline.ts';
import { type FoundPlace, foundOrMissing } from './place.ts';

interface PairPlace {
  /** Decoded. */
  readonly name: string;
  readonly key: Range;
  readonly value: Range;
}

/** `prefix`: what stands before the names of fields, as `disableRequest`; empty for nothing. `end`: of the pairs in the text. */
export function locateInForm(
  text: string,
  start: number,
  prefix: string,
  end = text.length,
): (path: Path) => FoundPlace | undefined {
  const pairs = pairsIn(text.slice(start, end));
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const found = find(pairs, nameOf(prefix, path.slice(0, length)));
      if (found !== undefined) return foundOrMissing(found.range, start, length < path.length, found.key);
    }
    const behind = text.slice(start, end).trimEnd().length;
    return foundOrMissing({ start: behind, end: behind }, start, true);
  };
}

/** A name with a leading dot is that of a pair outside the prefix. */
function nameOf(prefix: string, path: Path): string {
  const name = dotted(path);
  if (name.startsWith('.')) return name.slice(1);
  return prefix === '' ? name : `${prefix}.${name}`;
}

/** A pair without a value by its name, and pairs below the name by the first of them. */
function find(pairs: readonly PairPlace[], name: string): { readonly range: Range; readonly key: Range } | undefined {
  const found = pairs.find((pair) => pair.name === name) ?? pairs.find((pair) => shownName(pair.name) === name);
  if (found !== undefined) {
    const { key, value } = found;
    return { key, range: value.start === value.end ? key : value };
  }
  const below = pairs.find((pair) => pair.name.startsWith(`${name}.`));
  return below && { key: below.key, range: below.key };
}

/** As coordinates show it, step by step. */
function shownName(name: string): string {
  return name.split('.').map(printableName).join('.');
}

function pairsIn(text: string): readonly PairPlace[] {
  return [...text.matchAll(/[^&]+/g)].map(({ index, 0: pair }) => {
    const sign = pair.indexOf('=');
    const length = sign === -1 ? pair.length : sign;
    const end = index + pair.replace(/[\r\n]+$/, '').length;
    const key = { start: index, end: Math.min(index + length, end) };
    return { name: decoded(pair.slice(0, length)), key, value: { start: Math.min(index + length + 1, end), end } };
  });
}

/** Names of fields are ASCII, so bytes of another charset than UTF-8 do not matter. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
