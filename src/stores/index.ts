/** Transactions, tables and records, for every engine. */
export * from './erase-rows.ts';
export * from './errors.ts';
export * from './handlers.ts';
export * from './no-database.ts';
export * from './observed-store.ts';
export { parseDatabaseUrl, publicAddress } from './postgres-address.ts';
export { createReindexers, findWrongFingerprints, type Reindexed, reindex } from './reindex.ts';
export { applyRetention, type DestroyedRows, type RetentionRule, retentionRules } from './retention.ts';
export { type AlteredRow, macLength, RowIntegrity } from './row-integrity.ts';
export * from './sql/copy.ts';
export type { TableOwner } from './sql/create-tables.ts';
export {
  type Dialect,
  type Engine,
  type PoolConnections,
  type Row,
  readCommitted,
  type Session,
  type ShrinkOptions,
  type Statement,
  statement,
  type TransactionSession,
  type Value,
} from './sql/engine.ts';
export { type CleanUpOptions, deleteExpiredRecords } from './sql/expired-records.ts';
export { findUnaliasedRecords, type UnaliasedRecords } from './sql/idempotency-records.ts';
export * from './sql/inspection.ts';
export { createJobs, type JobRow, jobColumns, jobOf } from './sql/jobs.ts';
export { createKeyRotation, rowsLeft } from './sql/key-rotation.ts';
export { endLease, holdLease } from './sql/leases.ts';
export { compareSchema, migrate } from './sql/migrate.ts';
export * from './sql/revision.ts';
export * from './sql/row-integrity-state.ts';
export * from './sql/row-values.ts';
export * from './sql/row-writer.ts';
export { findWrongRows, signWrongRows, type WrongRow, wrongPagesOf } from './sql/signed-rows.ts';
export { storeTables } from './sql/tables.ts';
export * from './sql/together.ts';
export * from './sql/unsettled-requests.ts';
export * from './sql/webhook-endpoints.ts';
export * from './sql/write-check.ts';
export * from './stateless.ts';
export * from './store.ts';
export {
  type Column,
  type ColumnName,
  type Columns,
  type ColumnsRow,
  column,
  type Index,
  isRowRight,
  type KeptFor,
  type NumberName,
  type Parent,
  type Reference,
  type Reindexing,
  type RowOf,
  type SealedRecord,
  type Signed,
  type SqlName,
  signRow,
  type Table,
  type TableKey,
  type TableParts,
  type TenantColumn,
  type TenantName,
  table,
  verifyRow,
} from './table.ts';
export * from './transaction.ts';
