/** Seals the legal entity of an account holder, and opens it for responses and events. */
import type { Sealed, Vault } from '../../../vault/ports.ts';
import { SealBroken } from '../../../vault/seal.ts';
import type { StoredResource } from '../resource.ts';
import type { AccountHolder } from './contract.ts';

type Holder = StoredResource<AccountHolder>;

/** What the record has in place of the legal entity, where that is sealed. */
const sealedElsewhere = '';

/** The resource with its legal entity sealed. One that is sealed already stays as it is. */
export function sealHolder<H extends Pick<Holder, 'platform' | 'record' | 'sealed'>>(holder: H, vault: Vault): H {
  const { platform, record, sealed } = holder;
  if (sealed !== undefined) return holder;
  return {
    ...holder,
    record: { ...record, legalEntityId: sealedElsewhere },
    sealed: vault.seal(scopeOf(platform, record.id), { payload: record.legalEntityId }),
  };
}

/** Whether a record lacks its legal entity, which is sealed. */
export function isSealedIn(record: object): boolean {
  return 'legalEntityId' in record && record.legalEntityId === sealedElsewhere;
}

/** The record as responses contain it. Throws what the vault throws, and `SealBroken` where the sealed text was removed. */
export function openHolder({ platform, record, sealed }: Holder, vault: Vault): AccountHolder {
  if (sealed !== undefined) return { ...record, legalEntityId: openEntity(platform, record.id, sealed, vault) };
  if (isSealedIn(record)) throw new SealBroken('a sealed text was removed');
  return record;
}

function openEntity(platform: string, id: string, sealed: Sealed, vault: Vault): string {
  return vault.open(scopeOf(platform, id), sealed, 'payload');
}

function scopeOf(platform: string, id: string) {
  return { tenant: platform, record: `accountHolder ${id}` };
}
