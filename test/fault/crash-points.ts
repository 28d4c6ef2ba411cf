/** The points at which a server of the updater test can kill itself, and the defects that can be seeded into it. */

/** Around the commit of a request, and of the outcome of an account-updater check. */
export const points = [
  'before the commit of a request',
  'after the commit of a request',
  'before the commit of an outcome',
  'after the commit of an outcome',
  'between an outcome and the end of its job',
] as const;
export type Point = (typeof points)[number];

/** The job of a check and its outcome are written in two transactions, in this order. */
export type SeededDefect = 'job first' | 'outcome first';

/** The variable that seeds a defect. */
export const defectVariable = 'SEEDED_DEFECT';
