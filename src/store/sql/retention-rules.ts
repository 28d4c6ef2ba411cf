/** How long the engine's own data is stored: webhooks and jobs that were given up, and the progress of imports. */
import type { RetentionRule } from '../retention.ts';
import { type Statement, statement } from './engine.ts';

const deadJobs = statement(
  'destroy-dead-jobs',
  `delete from job where (company, job_id) in
     (select company, job_id from job where dead_since is not null and dead_since < $1 order by dead_since limit $2)`,
);

const importProgress = statement(
  'destroy-import-progress',
  `delete from import_progress where source in
     (select source from import_progress where updated_at < $1 order by updated_at limit $2)`,
);

export interface EngineRetention {
  readonly deadLetterMs: number | undefined;
  readonly importProgressMs: number | undefined;
}

export function engineRetention({ deadLetterMs, importProgressMs }: EngineRetention): readonly RetentionRule[] {
  return [
    retentionRule('deadLetter', deadLetterMs, deadJobs),
    retentionRule('importProgress', importProgressMs, importProgress),
  ];
}

/** A rule of one statement, whose parameters are the moment and the number of rows. */
export function retentionRule(subject: string, ms: number | undefined, destroy: Statement): RetentionRule {
  return { subject, ms, destroy: (tx, before, max) => tx.execute(destroy, [before, max]) };
}
