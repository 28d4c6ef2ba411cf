/** What the operations of the explorer return. */

import type { Answer } from '../page/api.ts';
import type { describeExplorerOperation, listExplorerOperations } from './contract.ts';

export type Operations = Answer<typeof listExplorerOperations>;
export type Described = Answer<typeof describeExplorerOperation>;
