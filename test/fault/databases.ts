/** The databases of servers, as tests read them beside the servers. */
import { DatabaseSync } from 'node:sqlite';
import type { Postgres } from '../support/postgres.ts';

/** The test's own connection to the database. */
export interface Database {
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export const sqliteOf = (file: string): Database => ({
  async query(text) {
    const database = new DatabaseSync(file);
    try {
      database.exec('pragma busy_timeout = 5000');
      return database.prepare(text).all() as Record<string, unknown>[];
    } finally {
      database.close();
    }
  },
});

export const postgresOf = (postgres: Postgres, url: string): Database => ({
  query: (text) => postgres.ask(text, [], url),
});
