/** The embedded store. It is loaded where it is configured. */
export { type BackupSummary, backUpSqlite } from './backup.ts';
export { SqliteEngine } from './engine.ts';
export * from './memory.ts';
export { databaseName, openSqlite } from './open.ts';
export * from './restore.ts';
export * from './serving-lock.ts';
