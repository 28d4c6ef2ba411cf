/** The tables of the engine. Copying a store and rotating its keys use this list and those of the services. */

export interface StoredTable {
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /**
   * Present where rows hold data keys. Returns the record of the `SealScope` for the second column of the key; the first
   * column is its company.
   */
  readonly sealedRecord?: (id: string) => string;
}

/** A table comes after the tables that it references. */
export const engineTables: readonly StoredTable[] = Object.freeze([
  { name: 'credential', key: ['company', 'credential_id'] },
  { name: 'credential_secret', key: ['company', 'credential_id', 'secret_id'] },
  { name: 'webhook_endpoint', key: ['company', 'endpoint_id'], sealedRecord: (id) => `webhook ${id}` },
  { name: 'job', key: ['company', 'job_id'], sealedRecord: (id) => `job ${id}` },
  { name: 'import_progress', key: ['source'] },
  { name: 'idempotency_record', key: ['record_key'] },
]);

/** Tables about the database itself; they are not copied. */
export const unsharedTables: readonly string[] = Object.freeze([
  'migration',
  'migration_lock',
  'copy_progress',
  'write_check',
]);
