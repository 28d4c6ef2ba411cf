/** Adds to events what is sealed in the store, when they are delivered. */
import type { Store } from '../../store/store.ts';
import type { Vault } from '../../vault/ports.ts';
import { accountHolders } from './account-holders/kind.ts';
import { openHolder } from './account-holders/secrets.ts';
import { isResourceEvent } from './events.ts';
import { ResourceReader } from './store/repository.ts';

export interface EventCompleterParts {
  readonly store: Pick<Store, 'read'>;
  readonly vault: Vault;
}

/** Returns a function that returns the data of an event as receivers get it. It throws `RowAltered`, and what the vault throws. */
export function createEventCompleter({ store, vault }: EventCompleterParts): (data: object) => Promise<object> {
  return async (data) => {
    if (!isResourceEvent(data) || data.kind !== accountHolders.name) return data;
    const { platform, record } = data;
    const holder = await store.read((tx) =>
      tx.repository(ResourceReader).findResource(accountHolders, platform, record.id),
    );
    if (holder === undefined) throw new Error('the account holder of an event is not stored');
    // It never changes.
    const { legalEntityId } = openHolder(holder, vault);
    return { ...data, record: { ...record, legalEntityId } };
  };
}
