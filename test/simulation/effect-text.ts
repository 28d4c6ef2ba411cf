/** What is written, as text: the model says it beforehand, and the auditor reads it off the statements and the rows. */
import type { Use } from './request-body.ts';

const prints = new WeakMap<object, string>();

/** With the members of each object in one order. Each is printed once. */
export const printed = (value: object): string => {
  const known = prints.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted())
      : part,
  );
  prints.set(value, text);
  return text;
};

export const usesText = (uses: readonly Use[]): string => uses.toSorted().join('+');
export const savedText = (shopper: string, reference: string, uses: readonly Use[]): string =>
  `save ${shopper} ${reference} ${usesText(uses)}`;
export const changedText = (reference: string, outcome: string): string => `change ${reference} ${outcome}`;
export const disabledText = (shopper: string, reference: string): string => `disable ${shopper} ${reference}`;
export const jobText = (kind: string): string => `job ${kind}`;

/** The columns of a resource after its platform: its id, that of its parent where that is no platform, and its state. */
export const rowText = (table: string, columns: readonly unknown[], record: object): string =>
  [table, ...columns, printed(record)].join(' ');

/** `about`: whose detail, or which resource; `what`: the reference of the detail, or whether the resource is new. */
export const toldText = (kind: string, about: string, what: string, psp: string, record?: object): string =>
  ['tell', kind, about, what, psp, ...(record === undefined ? [] : [printed(record)])].join(' ');

export const isTold = (effect: string): boolean => effect.startsWith('tell ');
/** What is told of one shopper or resource stands in one order. */
export const toldAbout = (told: string): string => told.split(' ')[2]!;
export const toldByPsp = (told: string): string => told.split(' ')[4]!;
