/** Seals the legal entity of an account holder, and opens it for responses and events. */
import { SealBroken, type Vault } from '../../../core/vault/index.ts';
import type { StoredResource } from '../resource.ts';
import type { AccountHolder } from './contract.ts';

type Holder = StoredResource<AccountHolder>;

/** What the record has in place of the legal entity, where that is sealed. */
const sealedElsewhere = '';

/** The resource with its legal entity sealed. */
export function sealHolder<H extends Pick<Holder, 'platform' | 'record'>>(holder: H, vault: Vault) {
  const { platform, record } = holder;
  return {
    ...holder,
    record: { ...record, legalEntityId: sealedElsewhere },
    sealed: vault.seal(scopeOf(platform, record.id), { payload: record.legalEntityId }),
  };
}

/** The record as responses contain it. Throws what the vault throws, and `SealBroken` where the sealed text was removed. */
export function openHolder({ platform, record, sealed }: Holder, vault: Vault): AccountHolder {
  if (sealed === undefined) throw new SealBroken('a sealed text was removed');
  return { ...record, legalEntityId: vault.open(scopeOf(platform, record.id), sealed, 'payload') };
}

function scopeOf(platform: string, id: string) {
  return { tenant: platform, record: `accountHolder ${id}` };
}
