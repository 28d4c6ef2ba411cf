/** PostgreSQL as the store. It is loaded where it is configured. */
export * from './open.ts';
