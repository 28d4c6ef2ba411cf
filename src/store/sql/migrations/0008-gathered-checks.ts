/** Checks that are gathered into files are found by their file, which holds them. */
import type { Migration } from '../migration.ts';

export const gatheredChecks: Migration = Object.freeze({
  number: 8,
  name: 'gathered-checks',
  statements: Object.freeze(["create index job_file on job (holder, company, job_id) where kind = 'answer'"]),
});
