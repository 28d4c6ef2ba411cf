/** Tests a keyed request while another program holds locks in PostgreSQL: a clear answer within the limits, and no effect. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { type Caller, callIn, card, openCaller } from '../support/traffic.ts';

const folder = tempFolder();
let postgres: Postgres;
let database: string;
let server: Server;
let caller: Caller;
const sessions: Client[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createMigratedDatabase();
  const { variables, credential } = await prepareProduction(folder.path, { DATABASE_URL: database });
  server = await startServer('serve', folder.path, variables);
  caller = openCaller(server.callers, basic(credential.username, credential.secret), 4);
});
afterAll(async () => {
  await Promise.all(sessions.map((session) => session.end()));
  caller?.close();
  await server?.stop();
  await postgres.discard();
  folder.discard();
});

/** A session of another program, which sets no limits. */
const openSession = async (): Promise<Client> => {
  const session = new Client({ connectionString: database });
  await session.connect();
  sessions.push(session);
  return session;
};

const countKeys = async (): Promise<number> => {
  const [row] = await postgres.ask('select count(*)::int as keys from idempotency_record', [], database);
  return Number(row?.keys);
};

const shopper = { merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1' };
const store = callIn('json', 'storeToken', { ...shopper, card, recurring: { contract: ['RECURRING'] } });
const list = callIn('json', 'listRecurringDetails', shopper);

test.each([
  {
    held: 'a row that the effect refers to',
    lock: 'select 1 from merchant_account for update',
    waits: 'select 1 from merchant_account for key share',
    expected: { status: 503, code: '703' },
  },
  {
    held: 'the table of idempotency records',
    lock: 'lock table idempotency_record in exclusive mode',
    waits: 'lock table idempotency_record in row exclusive mode',
    expected: { status: 409, code: '704' },
  },
])(
  'another program holds $held: the answer asks for a retry, which has the effect',
  async ({ lock, waits, expected }) => {
    const key = randomUUID();
    const before = await countKeys();
    const [holder, control] = await Promise.all([openSession(), openSession()]);
    await holder.query('begin');
    await holder.query(lock);
    // Control: without limits a session waits for as long as the lock is held.
    let isControlDone = false;
    await control.query('begin');
    const waiting = control.query(waits).then(() => {
      isControlDone = true;
    });
    const { status, headers, body } = await caller.ask(store, key);
    expect({ status, transient: headers['transient-error'], code: JSON.parse(body).errorCode }).toEqual({
      status: expected.status,
      transient: 'true',
      code: expected.code,
    });
    // Reads need no lock.
    expect((await caller.ask(list)).status).toBe(200);
    expect(isControlDone).toBe(false);
    await holder.query('rollback');
    await waiting;
    await control.query('rollback');
    const retried = await caller.ask(store, key);
    expect([retried.status, retried.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(await countKeys()).toBe(before + 1);
  },
);
