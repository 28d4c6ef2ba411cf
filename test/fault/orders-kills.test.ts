/**
 * The orders example is killed under keyed load, and each key is sent again in another format: no effect doubled, none lost.
 * Handlers with their effect outside of the transaction are seeded defects. `KILLS=40` is the long run.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test } from '@jest/globals';
import { ordersV1, placeOrder } from '../../examples/orders/contract.ts';
import { orders } from '../../examples/orders/orders.ts';
import { createProtocols, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { createGateway } from '../../src/program/api/index.ts';
import { Random } from '../simulation/random.ts';
import { repeatCommand, seed } from '../support/seed.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { isFoundWithin, until } from '../support/until.ts';
import type { Fleet } from './injection/fleet.ts';
import { kills, runUnderKills, sendTo } from './injection/kill-run.ts';
import type { OrdersProgram } from './orders-server.ts';

const random = new Random(seed);
const protocols = createProtocols([ordersV1]);
beforeAll(() => void process.stderr.write(`repeat with ${repeatCommand('test/fault/orders-kills.test.ts')}\n`));

interface Order {
  readonly number: string;
  result: 'placed' | 'refused' | 'cut off' | 'down';
}

/** Kills the server under load so many times. At the end every key is sent once more, in another format. */
async function placeOrdersUnderKills(program: OrdersProgram, kills: number) {
  const folder = tempFolder();
  const dataDir = join(folder.path, 'data');
  const file = join(folder.path, 'effects');
  const secret = await prepare(dataDir);
  const sent: Order[] = [];
  let answers = 0;

  async function place(fleet: Fleet, number: string, retry: number): Promise<Order['result']> {
    const protocol = protocols[namedProtocols[(Number(number.slice(2)) + retry) % namedProtocols.length]!];
    const input = { shop: 'amsterdam', number, item: 'Bicycle', quantity: 1 };
    const headers = { 'x-api-key': secret, 'idempotency-key': `key-of-the-order-${number}` };
    const answer = await sendTo(fleet, 0, protocol.encodeRequest(ordersV1, placeOrder, input), headers);
    if (typeof answer === 'string') return answer;
    answers += 1;
    if (answer.status !== 200) return 'refused';
    const { status } = protocol.decodeResponse(placeOrder, answer.text).value as { readonly status?: string };
    return status === 'placed' ? 'placed' : 'refused';
  }

  const flags = ['--import', join(import.meta.dirname, '../../scripts/own-package.mjs')];
  const server = { file: join(import.meta.dirname, 'orders-server.ts'), parameters: [dataDir, program, file], flags };
  const track = {
    program: server,
    folder: folder.path,
    servers: 1,
    clients: 4,
    random,
    kills,
    async step(fleet: Fleet) {
      const order: Order = { number: `A-${sent.length + 1}`, result: 'down' };
      sent.push(order);
      order.result = await place(fleet, order.number, 0);
    },
    // Before the first answer a kill meets no transaction.
    async isRipe() {
      const before = answers;
      await until('an answer', () => answers > before);
    },
  };
  try {
    return await runUnderKills(track, async (fleet) => {
      const cutOff = sent.filter(({ result }) => result === 'cut off');
      for (const [index, order] of sent.entries())
        if (order.result !== 'refused')
          order.result = await place(fleet, order.number, 1 + (index % (namedProtocols.length - 1)));
      const effects = Map.groupBy(program === 'the example' ? ordersIn(dataDir) : linesOf(file), (number) => number);
      const of = (result: Order['result']) =>
        sent.filter((order) => order.result === result).map(({ number }) => number);
      return {
        keys: sent.length,
        /** Keys whose first request the kill cut off. */
        cutOff: cutOff.length,
        /** Orders with more than one effect. */
        doubled: [...effects].filter(([, { length }]) => length > 1).map(([number]) => number),
        /** Orders that were answered, without an effect. */
        lost: of('placed').filter((number) => !effects.has(number)),
        /** Orders whose retry was not answered as the first request was, or would have been. */
        refused: [...of('refused'), ...of('cut off'), ...of('down')],
      };
    });
  } finally {
    folder.discard();
  }
}

/** Creates the tables and a credential, and returns its secret. */
async function prepare(dataDir: string): Promise<string> {
  const gateway = await createGateway({ services: [orders], store: { dataDir } });
  const grants = { shop: ['amsterdam'] };
  const added = await gateway.credentials.addCredential({ tenant: 'acme', kind: 'apiKey', roles: ['orders'], grants });
  await gateway.close();
  return added.secret;
}

function ordersIn(dataDir: string): readonly string[] {
  const database = new DatabaseSync(join(dataDir, 'triglyph.db'), { readOnly: true });
  try {
    return database
      .prepare('select number from example_order')
      .all()
      .map(({ number }) => String(number));
  } finally {
    database.close();
  }
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

test('every order is placed once, and its retry in another format is answered as the first request', async () => {
  const { keys, cutOff, ...wrong } = await placeOrdersUnderKills('the example', kills);
  expect(keys).toBeGreaterThan(cutOff);
  expect(cutOff).toBeGreaterThan(0);
  expect(wrong).toEqual({ doubled: [], lost: [], refused: [] });
});

test.each([
  ['an effect outside', 'doubled'],
  ['a unique effect outside', 'refused'],
] as const)('seeded defect: %s of the transaction is found %s', async (program, aspect) => {
  const isFound = async () => (await placeOrdersUnderKills(program, 1))[aspect].length > 0;
  expect(await isFoundWithin(isFound)).toBe(true);
});
