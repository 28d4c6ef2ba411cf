/** Where a server of the test is struck, and how it may be forgetful. */
/** Where it may be struck: around the commit of a request, and of the outcome of a check. */
export const points = [
  'before a request is kept',
  'after a request was kept',
  'before an outcome is kept',
  'after an outcome was kept',
  'between an outcome and its end',
] as const;
export type Point = (typeof points)[number];

/** Told by the server. */
export interface Ready {
  readonly callers: string;
}

export type Forgetful = 'ends first' | 'ends last';
