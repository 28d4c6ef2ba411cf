/** The tables of the engine. Copying a store and rotating its keys go by this list and those of the services. */

export interface StoredTable {
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /**
   * Present where rows hold data keys: the record for which a row is sealed (`SealScope`), by the second column of its key. The
   * first column is the company for which it is sealed.
   */
  readonly sealedRecord?: (id: string) => string;
}

/** Tables that others refer to come first. */
export const engineTables: readonly StoredTable[] = Object.freeze([
  { name: 'credential', key: ['company', 'credential_id'] },
  { name: 'credential_secret', key: ['company', 'credential_id', 'secret_id'] },
  { name: 'webhook_endpoint', key: ['company', 'endpoint_id'], sealedRecord: (id) => `webhook ${id}` },
  { name: 'job', key: ['company', 'job_id'], sealedRecord: (id) => `job ${id}` },
  { name: 'import_progress', key: ['source'] },
  { name: 'idempotency_record', key: ['record_key'] },
]);

/** What a database knows of itself; no copy takes it along. */
export const unsharedTables: readonly string[] = Object.freeze(['migration', 'migration_lock', 'copy_progress']);
