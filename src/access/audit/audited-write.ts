/** Transactions whose effects are recorded in the audit log, in the same transaction. */

import type { Clock } from '../../core/lib/index.ts';
import type { Engine, Session } from '../../stores/index.ts';
import type { AuditActor, AuditDetail, AuditEvent, AuditKind } from './audit-event.ts';
import type { AuditLog } from './audit-log.ts';

/** Effects that the store records with the effect itself. */
export type AuditedKind = Extract<
  AuditKind,
  | `credential${'Made' | 'Changed' | 'Rotated' | 'Revoked'}`
  | 'secondFactorChanged'
  | `${'deprecation' | 'exemption' | 'shadow'}${string}`
>;

/** Records an effect at the end of its transaction. */
type RecordEffect = (kind: AuditedKind, subject: string, detail?: AuditDetail) => void;

/** `by`: who has the effect; by default the actor of the process. */
export type AuditedWrite = <T>(
  work: (session: Session, record: RecordEffect) => Promise<T>,
  by?: AuditActor,
) => Promise<T>;

/** Records nothing. */
export function writeUnaudited(engine: Engine): AuditedWrite {
  return (work) => engine.write((session) => work(session, () => {}));
}

interface AuditedWriteParts {
  readonly engine: Engine;
  readonly log: Pick<AuditLog, 'appendIn'>;
  readonly clock: Clock;
  readonly actor: AuditActor;
}

export function createAuditedWrite({ engine, log, clock, actor }: AuditedWriteParts): AuditedWrite {
  return (work, by = actor) =>
    engine.write(async (session) => {
      const events: AuditEvent[] = [];
      const value = await work(session, (kind, subject, detail = {}) => {
        events.push({ kind, actor: by, subject, detail });
      });
      const recordedAt = clock.now();
      await log.appendIn(
        session,
        events.map((event) => ({ event, recordedAt, once: false })),
      );
      return value;
    });
}
