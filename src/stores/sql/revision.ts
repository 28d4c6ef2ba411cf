/** A number in a table of one row, which each change counts up: by it, processes notice the changes of others. */
import { type Session, statement } from './engine.ts';

/** Returns the revision of a subject, in the table `<subject>_revision`. */
export function createRevision(subject: string) {
  const find = statement<{ readonly revision: number }>(
    `find-${subject}-revision`,
    `select revision from ${subject}_revision where id = 1`,
  );
  const countUp = statement(
    `count-up-${subject}-revision`,
    `update ${subject}_revision set revision = revision + 1 where id = 1`,
  );
  return Object.freeze({
    async read(session: Session): Promise<number> {
      const [row] = await session.query(find, []);
      return row?.revision ?? 0;
    },
    /** Locks the row, so that changes follow one another. */
    async countUp(session: Session): Promise<void> {
      await session.execute(countUp, []);
    },
  });
}
