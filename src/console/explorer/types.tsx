/** What the operations of the explorer return. */

import type { Answer } from '../page/api.ts';
import type {
  describeExplorerOperation,
  editMessage,
  listExplorerOperations,
  sendExplorerRequest,
} from './contract.ts';

export type Operations = Answer<typeof listExplorerOperations>;
export type Described = Answer<typeof describeExplorerOperation>;
export type FormField = Described['fields'][number];
export type EditedMessage = Answer<typeof editMessage>;
export type ShownMessage = NonNullable<EditedMessage['messages']>[number];
export type SentAnswer = Answer<typeof sendExplorerRequest>;

/** The fields of a request as their texts. */
export type Draft = string | readonly Draft[] | DraftObject;
export interface DraftObject {
  readonly [name: string]: Draft;
}
