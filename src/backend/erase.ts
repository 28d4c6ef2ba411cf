/** Erases what is stored about someone from all tables, and records it in the audit log. */

import type { AuditActor, AuditDetail } from '../access/index.ts';
import { maskText } from '../core/contract/index.ts';
import { openRequest } from '../insight/index.ts';
import type { Backend } from './backend.ts';
import type { Erased, Erasure } from './erasure.ts';

type Counts = Readonly<Record<string, number>>;

interface EraseOptions {
  readonly actor: AuditActor;
  /** Counts only. */
  readonly isDryRun: boolean;
}

export async function erase<K extends object>(
  backend: Backend,
  erasure: Erasure<K>,
  key: K,
  { actor, isDryRun }: EraseOptions,
): Promise<Erased> {
  const { audit, context } = backend;
  const { subject } = erasure;
  const fingerprint = context.vault.fingerprint(erasure.tenantOf(key), `${subject} ${erasure.nameOf(key)}`);
  const about = { ...erasure.publicPartOf(key), [subject]: fingerprint };
  const record = (detail: AuditDetail) =>
    audit.append([{ kind: 'destroyed', actor, subject, detail: { ...about, ...detail } }]);
  if (!isDryRun) await record({ state: 'begun' });
  const rows = await eraseRows(backend, erasure, key, isDryRun);
  const erased = { ...rows, callerRequests: await eraseCallerRequests(backend, erasure, key, isDryRun) };
  const isScrubbed = isDryRun || (await backend.scrub());
  if (!isDryRun) await record({ state: 'done', ...erased });
  return { erased, isScrubbed };
}

/** Rolls the transaction of a dry run back. */
class DryRun extends Error {}

async function eraseRows<K extends object>(
  { store }: Backend,
  erasure: Erasure<K>,
  key: K,
  isDryRun: boolean,
): Promise<Counts> {
  let erased: Counts | undefined;
  try {
    return await store.write(
      async (tx) => {
        erased = await erasure.erase(tx, key);
        if (isDryRun) throw new DryRun('a dry run');
        return erased;
      },
      // It reads many jobs, which other transactions write all the time. Rows that it deletes are locked.
      { isolation: 'readCommitted', noTimeout: true },
    );
  } catch (thrown) {
    if (thrown instanceof DryRun && erased !== undefined) return erased;
    throw thrown;
  }
}

async function eraseCallerRequests<K extends object>(
  { lastRequests, context: { vault } }: Backend,
  erasure: Erasure<K>,
  key: K,
  isDryRun: boolean,
): Promise<number> {
  const tenant = erasure.tenantOf(key);
  let erased = 0;
  for (const [id, sealed] of await lastRequests.findRequests(tenant)) {
    const { input } = openRequest(vault, tenant, id, sealed);
    if (!erasure.isAbout(input, key, maskText)) continue;
    if (isDryRun || (await lastRequests.eraseRequest(tenant, id, sealed))) erased += 1;
  }
  return erased;
}
