/** Names of members as requests have them, and as messages show them. */
import type { Path } from './path.ts';

/** Stands before the name of a member that is in no namespace of the interface. */
export const foreignMark = '{?}';

/** Stands before the name of an XML attribute that the contract does not have. */
export const attributeMark = '@';

/** A name without the mark of its format. */
export function withoutMark(name: string): string {
  const mark = [foreignMark, attributeMark, '.'].find((each) => name.startsWith(each)) ?? '';
  return name.slice(mark.length);
}

/** The name behind the mark of a member in a wrong namespace; empty for any other. */
export function foreignName(name: string): string {
  return name.startsWith(foreignMark) ? name.slice(foreignMark.length) : '';
}

/** Names are shown back to their sender, so only those that look like names, and like no card number. */
export function printableName(name: string): string {
  return /^(\{\?\}|([\w.-]{1,64}\.)?@)?[\w.-]{1,64}$/.test(name) && !mayHoldNumber(name) ? name : '?';
}

/** The same for a text that is no path: forms of other interfaces nest with brackets, and their senders should see it. */
export function printableInText(name: string): string {
  return printableName(name.replace(/[[\]]/g, '')) === '?' ? '?' : name;
}

/** Whether a text has digits that could be a card number, also with blanks, dots, dashes or underscores between them. */
export function mayHoldNumber(text: string): boolean {
  return /\d{8}|(?:\d[ ._-]*){12}/.test(text);
}

/** A path as messages show it. */
export function label(path: Path): string {
  return path
    .filter((step) => typeof step === 'string')
    .map(printableName)
    .join('.');
}

/**
 * Whether a member may be ignored where it is empty. A name that no contract could have means that the caller mistook the format,
 * as with a JSON body declared as a form.
 */
export function isName(name: string): boolean {
  return /^(?:\{\?\}|\.|@)?[\p{L}_][\p{L}\p{N}._-]*$/u.test(name);
}

/** Returns the members of an object by name. Some names are those of what each object inherits, as `toString`. */
export function ownMembers(names: readonly string[]): (value: unknown) => Readonly<Record<string, unknown>> {
  const isInherited = names.some((name) => name in Object.prototype);
  if (!isInherited) return (value) => value as Readonly<Record<string, unknown>>;
  return (value) => Object.assign(Object.create(null), value);
}
