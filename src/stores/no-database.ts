/** The engine of a gateway without a database: nothing is ever stored, so every statement that reads finds no rows. */
import type { Engine, Session } from './sql/engine.ts';

const empty: Session = Object.freeze<Session>({
  query: async () => [],
  execute: refuse,
});

/** Throws a plain error for whatever would be written: nothing may be dropped with a success. */
export const noDatabase: Engine = Object.freeze<Engine>({
  dialect: 'sqlite',
  read: (work) => work(empty),
  write: refuse,
  close: async () => {},
});

async function refuse(): Promise<never> {
  throw new TypeError('a gateway without a database stores nothing');
}
