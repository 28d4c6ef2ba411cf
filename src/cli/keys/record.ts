/** Records changes of the key file in the audit log of the configured store, where there is one. */
import type { AuditDetail } from '../../audit/audit-event.ts';
import { StoreUnavailable } from '../../store/errors.ts';
import { systemUser } from '../audited-command.ts';
import { recordInStore, reportUnrecorded } from '../record-command.ts';

/**
 * A key file may be made before there is a store, and changed where none can be reached. The first use of a key by a server is
 * recorded in any case.
 */
export async function recordKey(kind: 'keyMade' | 'keyRotated', id: string, detail: AuditDetail): Promise<void> {
  try {
    await recordInStore({ kind, actor: systemUser(), subject: id, detail });
  } catch (thrown) {
    // Settings without a store, or a folder that has none yet.
    if (!(thrown instanceof StoreUnavailable)) return;
    reportUnrecorded(thrown);
  }
}
