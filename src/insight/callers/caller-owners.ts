/** Who answers for a credential: a name and an address for the report of a migration. */

import { callerOwners } from '../../access/index.ts';
import type { Clock } from '../../core/lib/index.ts';
import { type Engine, fieldsOf, prepareUpsert, type RowOf, statement } from '../../stores/index.ts';

/** Who answers for a credential. */
export interface CallerOwner {
  /** The id of a credential, or the hash of one that another server knows. */
  readonly credential: string;
  readonly name: string;
  /** Where the owner is reached: a mail address, a telephone number, a channel. */
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly setAt: number;
  /** As in the audit log: `user anna`. */
  readonly setBy: string;
}

/** The store of owners. One credential has one owner. */
export interface CallerOwners {
  /** Sorted by credential. */
  list(): Promise<readonly CallerOwner[]>;
  /** Replaces the owner that the credential has. */
  set(owner: Omit<CallerOwner, 'setAt'>): Promise<void>;
  /** Returns whether there was one. */
  remove(credential: string): Promise<boolean>;
}

/** Returns the owners of a database. */
export function createCallerOwners({
  engine,
  clock,
}: {
  readonly engine: Engine;
  readonly clock: Clock;
}): CallerOwners {
  return Object.freeze<CallerOwners>({
    list: () => engine.read(async (session) => (await session.query(listOwners, [])).map(fieldsOf)),
    set: (owner) => engine.write((session) => setOwner(session, { ...owner, setAt: clock.now() })),
    remove: (credential) => engine.write(async (session) => (await session.execute(removeOwner, [credential])) > 0),
  });
}

const listOwners = statement<RowOf<typeof callerOwners>>(
  'list-caller-owners',
  'select credential, name, address, set_at, set_by from caller_owner order by credential',
);
const setOwner = prepareUpsert('set-caller-owner', callerOwners);
const removeOwner = statement('remove-caller-owner', 'delete from caller_owner where credential = $1');
