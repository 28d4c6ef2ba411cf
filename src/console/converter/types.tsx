/** What the converter returns. */
import type { Answer } from '../page/api.ts';
import type { editMessage } from './contract.ts';

export type EditedMessage = Answer<typeof editMessage>;
export type ShownMessage = NonNullable<EditedMessage['messages']>[number];
