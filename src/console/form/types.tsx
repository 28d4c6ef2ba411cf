/** The fields of a form, and what is typed into it. */
import type { Wire } from '../page/wire.ts';
import type { formField } from './contract.ts';

export type FormField = Wire<typeof formField>;

/** The fields of a request as their texts. */
export type Draft = string | readonly Draft[] | DraftObject;
export interface DraftObject {
  readonly [name: string]: Draft;
}
