/** The errors of a store that every engine throws. */
import { Unavailable } from '../core/lib/index.ts';

/** The store cannot answer now; nothing was written. */
export class StoreUnavailable extends Unavailable {
  override readonly name = 'StoreUnavailable';
}

/** The connection was lost, or the disk failed, during the commit: the transaction was committed whole, or not at all. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
}
