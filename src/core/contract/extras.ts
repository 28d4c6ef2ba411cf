/** Members of an answer of another server that its contract does not have. */

/** The member of answers in JSON and FORM that lists them, and the header block of answers in SOAP. */
export const extrasMember = 'unknownMembers';

/** Of one answer; stored with its outcome, and the same for each format of a caller. */
export interface Extras {
  /** In the order of the answer. */
  readonly members: readonly ExtraMember[];
  /** Of an answer in JSON: the text of a tree with these members, which is merged into another answer in JSON. */
  readonly json?: string;
  /** The answer as the other server has sent it, for callers to whom its format passes it on. It is not stored. */
  readonly sent?: unknown;
}

/** Returns what is stored and shown of them: undefined where the answer had no such members. */
export function membersIn(extras: Extras | undefined): Extras | undefined {
  if (extras === undefined || extras.members.length === 0) return undefined;
  const { members, json } = extras;
  return { members, ...(json !== undefined && { json }) };
}

/** `name`: its place, with dots, items counted from 0, and an at sign before an attribute: `books.0.@shelf`. */
export interface ExtraMember {
  readonly name: string;
  /** The text of a scalar or an attribute; an object or a list in JSON; an element in XML. */
  readonly value: string;
}
