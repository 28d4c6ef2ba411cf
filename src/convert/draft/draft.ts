/** A draft: the fields of a request as their texts, valid or not, so that each format can show what is being edited. */

/** A scalar is its text. Members have the names of the contract, and others those of their message. */
export type Draft = string | readonly Draft[] | DraftObject;

export interface DraftObject {
  readonly [name: string]: Draft;
}

export function isDraftObject(draft: Draft | undefined): draft is DraftObject {
  return typeof draft === 'object' && !Array.isArray(draft);
}

/** Nested deeper than this, a text is not taken for a draft. */
export const depthMax = 100;

/** Returns what of a value of JSON is a draft. */
export function draftOf(value: unknown, depth = 0): Draft | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null || depth > depthMax) return undefined;
  if (Array.isArray(value)) return value.map((each) => draftOf(each, depth + 1) ?? '');
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const draft = draftOf(each, depth + 1);
      return draft === undefined ? [] : [[name, draft]];
    }),
  );
}
