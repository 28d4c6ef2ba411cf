/** Erases a shopper from all tables, and records it in the audit log. */
import type { AuditActor, AuditDetail } from '../audit/audit-event.ts';
import { openRequest } from '../callers/last-request.ts';
import type { Backend } from './backend.ts';
import { type ErasedShopper, eraseShopperIn, isAboutShopper, type ShopperKey } from './services.ts';

export interface Erasure {
  /** How many rows of each kind. `callerRequests`: last requests in the records of callers. */
  readonly erased: ErasedShopper;
  /** Whether no file of the embedded store holds what was destroyed. */
  readonly isScrubbed: boolean;
}

export interface EraseShopperOptions {
  readonly actor: AuditActor;
  /** Counts only. */
  readonly isDryRun: boolean;
}

export async function eraseShopper(
  backend: Backend,
  key: ShopperKey,
  { actor, isDryRun }: EraseShopperOptions,
): Promise<Erasure> {
  const { audit, context } = backend;
  const { company, merchantAccount, shopperReference } = key;
  // An operator who knows the reference can find the entry by it. The log itself names no shopper.
  const shopper = context.vault.fingerprint(company, `shopper ${shopperReference}`);
  const record = (detail: AuditDetail) =>
    audit.append([{ kind: 'destroyed', actor, subject: 'shopper', detail: { merchantAccount, shopper, ...detail } }]);
  if (!isDryRun) await record({ state: 'begun' });
  const rows = await eraseRows(backend, key, isDryRun);
  const erased = { ...rows, callerRequests: await eraseCallerRequests(backend, key, isDryRun) };
  const isScrubbed = isDryRun || (await backend.scrub());
  if (!isDryRun) await record({ state: 'done', ...erased });
  return { erased, isScrubbed };
}

/** Rolls the transaction of a dry run back. */
class DryRun extends Error {
  readonly erased: ErasedShopper;
  constructor(erased: ErasedShopper) {
    super('a dry run');
    this.erased = erased;
  }
}

async function eraseRows({ store }: Backend, key: ShopperKey, isDryRun: boolean): Promise<ErasedShopper> {
  try {
    return await store.write(
      async (tx) => {
        const erased = await eraseShopperIn(tx, key);
        if (isDryRun) throw new DryRun(erased);
        return erased;
      },
      // It reads many jobs, which other transactions write all the time. Rows that it deletes are locked.
      { isolation: 'readCommitted', noTimeout: true },
    );
  } catch (thrown) {
    if (thrown instanceof DryRun) return thrown.erased;
    throw thrown;
  }
}

async function eraseCallerRequests(
  { callerRecords, services, context: { vault } }: Backend,
  key: ShopperKey,
  isDryRun: boolean,
): Promise<number> {
  const { company, shopperReference } = key;
  // A reference that is a card number is masked in them.
  const masked = { ...key, shopperReference: services.textDetector?.mask(shopperReference) ?? shopperReference };
  let erased = 0;
  for (const [id, sealed] of await callerRecords.findRequests(company)) {
    const { input } = openRequest(vault, company, id, sealed);
    if (!isAboutShopper(input, key) && !isAboutShopper(input, masked)) continue;
    if (isDryRun || (await callerRecords.eraseRequest(company, id, sealed))) erased += 1;
  }
  return erased;
}
