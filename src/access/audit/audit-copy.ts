/** Copies the entries of the audit log elsewhere, in their order. The store remembers how far, so that no process leaves one out. */

import { endsWithin } from '../../core/lib/index.ts';
import {
  type Engine,
  endLease,
  holdLease,
  isRowRight,
  prepareUpsert,
  type RowIntegrity,
  readCommitted,
  type Session,
  statement,
} from '../../stores/index.ts';
import type { AuditLog } from './audit-log.ts';
import { findMac } from './audit-statements.ts';
import type { EntryWriter } from './copy/copy.ts';
import { auditCopies } from './tables.ts';

interface AuditCopyParts {
  readonly engine: Engine;
  readonly log: Pick<AuditLog, 'head' | 'read'>;
  readonly integrity: RowIntegrity;
  readonly writer: EntryWriter;
  /** Names the process among those that share the store. */
  readonly owner: string;
}

type PlaceRow = { readonly sequence: number; readonly mac: string; readonly row_mac: string | null };

const findPlace = statement<PlaceRow>(
  'find-audit-copy',
  `select sequence, mac, row_mac from audit_copy where tenant = '' and target = $1`,
);

const savePlace = prepareUpsert('save-audit-copy', auditCopies);

/** A process that ends while it copies delays the others for so long. */
const leaseMs = 10_000;
const closeMsMax = 3_000;

export function createAuditCopy({ engine, log, integrity, writer, owner }: AuditCopyParts) {
  const { name: target } = writer;
  const lease = { name: `audit copy ${target}`, owner, ms: leaseMs };
  let failed: (thrown: unknown) => void = () => {};
  let copying: Promise<void> | undefined;

  /** The last entry that the target has. 0 where the row was changed, or names an entry that the log does not have: then all are copied again. */
  const readPlace = async (session: Session, removedThrough: number): Promise<number> => {
    const [row] = await session.query(findPlace, [target]);
    if (row === undefined || !isRowRight(integrity, auditCopies, row, { tenant: '', target })) return 0;
    if (row.sequence <= removedThrough) return row.sequence;
    const [entry] = await session.query(findMac, [row.sequence]);
    return entry?.mac === row.mac ? row.sequence : 0;
  };

  /** The entries that the target lacks, as a range; undefined for none. */
  const findRange = async () => {
    const head = await log.head();
    // Before the keys of row MACs nothing could sign the place.
    if (head === undefined || !integrity.hasKeys) return undefined;
    const { removedThrough, lastSequence } = head;
    const place = await engine.read((session) => readPlace(session, removedThrough));
    const after = Math.max(place, removedThrough);
    return after < lastSequence ? { from: after + 1, through: lastSequence } : undefined;
  };

  const copyRange = async (): Promise<void> => {
    const range = await findRange();
    if (range === undefined) return;
    for await (const entries of log.read(range.from, range.through)) {
      await writer.write(entries);
      const { sequence, mac } = entries.at(-1)!;
      const isHeld = await engine.write(async (session) => {
        if (!(await holdLease(session, lease))) return false;
        await savePlace(session, { tenant: '', target, sequence, mac }, integrity);
        return true;
      }, readCommitted);
      // This process was suspended, and another one goes on.
      if (!isHeld) return;
    }
  };

  const copyOnce = async (): Promise<void> => {
    if ((await findRange()) === undefined) return;
    if (!(await engine.write((session) => holdLease(session, lease), readCommitted))) return;
    try {
      await copyRange();
    } finally {
      await engine.write((session) => endLease(session, lease), readCommitted);
    }
  };

  const copyNew = (): Promise<void> => {
    copying ??= copyOnce().finally(() => {
      copying = undefined;
    });
    return copying;
  };

  return Object.freeze({
    /**
     * Copies the entries that the target lacks, unless another process is about it. Rejects where the target does not take them: the next
     * call writes them again.
     */
    copyNew,
    /** Replaces the listener for failures of `close`. At first there is none. */
    listen(listener: (thrown: unknown) => void): void {
      failed = listener;
    },
    /** The same, for the end of a process. Does not reject, but calls `failed`. Waits for `msMax` at most. */
    async close(msMax: number = closeMsMax): Promise<void> {
      try {
        // What was recorded after a copy began is not part of it.
        const copied = Promise.resolve(copying)
          .catch(() => {})
          .then(copyNew);
        if (!(await endsWithin(copied, msMax))) throw new Error('the target does not take the entries in time');
      } catch (thrown) {
        failed(thrown);
      } finally {
        writer.close();
      }
    },
  });
}
