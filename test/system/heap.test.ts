/** Tests that card numbers and security codes do not linger in the heap of a server after load, in any format. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

const cards = 240;
/** Longer than the caches of parsed requests and credentials hold anything. */
const idleMs = 4_000;

interface Card {
  readonly number: string;
  readonly cvc: string;
}

/** Numbers with a valid check digit, and codes of four digits, which few other texts are. */
function cardOf(index: number): Card {
  const digits = `37144963${String(100_000 + index * 397).padStart(6, '0')}`;
  for (let check = 0; ; check += 1) {
    const number = `${digits}${check}`;
    if (isValid(number)) return { number, cvc: String(1_000 + ((index * 7_919) % 9_000)) };
  }
}

function isValid(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function bodyOf({ number, cvc }: Card, index: number): { readonly type: string; readonly body: string } {
  const shopper = `heap-${index}`;
  switch (index % 3) {
    case 0:
      return {
        type: 'application/json',
        body: JSON.stringify({
          merchantAccount: 'AcmeWeb',
          shopperReference: shopper,
          recurring: { contract: 'RECURRING' },
          card: { number, cvc, expiryMonth: '3', expiryYear: '2031', holderName: 'Anna' },
        }),
      };
    case 1:
      return {
        type: 'application/x-www-form-urlencoded',
        body: `merchantAccount=AcmeWeb&shopperReference=${shopper}&recurring.contract=RECURRING&card.number=${number}&card.cvc=${cvc}&card.expiryMonth=3&card.expiryYear=2031&card.holderName=Anna`,
      };
    default:
      return {
        type: 'text/xml',
        body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:r="http://recurring.services.adyen.com" xmlns:p="http://payment.services.adyen.com"><s:Body><r:storeToken><r:request><r:card><p:cvc>${cvc}</p:cvc><p:expiryMonth>3</p:expiryMonth><p:expiryYear>2031</p:expiryYear><p:holderName>Anna</p:holderName><p:number>${number}</p:number></r:card><r:merchantAccount>AcmeWeb</r:merchantAccount><r:recurring><p:contract>RECURRING</p:contract></r:recurring><r:shopperReference>${shopper}</r:shopperReference></r:request></r:storeToken></s:Body></s:Envelope>`,
      };
  }
}

/** The strings of a snapshot, which V8 writes after a collection. */
async function stringsOf(server: Server, snapshots: string): Promise<readonly string[]> {
  process.kill(server.pid, 'SIGUSR2');
  let text = '';
  await until('the snapshot', () => {
    const [file] = readdirSync(snapshots).filter((name) => name.endsWith('.heapsnapshot'));
    if (file === undefined) return false;
    text = readFileSync(join(snapshots, file), 'utf8');
    return text.trimEnd().endsWith('}');
  });
  return (JSON.parse(text) as { readonly strings: readonly string[] }).strings;
}

async function countAfterLoad(name: string, options: string) {
  const own = join(folder.path, name);
  const snapshots = join(own, 'snapshots');
  mkdirSync(snapshots, { recursive: true });
  const { variables, credential } = await prepareProduction(own);
  const nodeOptions = `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${snapshots} ${options}`;
  const server = await startServer('serve', own, { ...variables, NODE_OPTIONS: nodeOptions });
  try {
    const sent = Array.from({ length: cards }, (_, index) => cardOf(index));
    const statuses: number[] = [];
    for (const [index, card] of sent.entries()) {
      const { type, body } = bodyOf(card, index);
      const path = index % 3 === 2 ? '/pal/servlet/Recurring/v25' : '/pal/servlet/Recurring/v25/storeToken';
      const response = await fetch(`${server.callers}${path}`, {
        method: 'POST',
        headers: {
          authorization: basic(credential.username, credential.secret),
          'content-type': type,
          'idempotency-key': `heap-${name}-${index}-0123456789`,
        },
        body,
      });
      const answer = await response.text();
      statuses.push(response.status);
      if (response.status !== 200) throw new Error(answer);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    await wait(idleMs);
    const strings = await stringsOf(server, snapshots);
    const numbers = sent.filter(({ number }) => strings.some((text) => text.includes(number))).length;
    const codes = sent.filter(({ cvc }) => {
      // Alone, four digits are also the name of an index of an array.
      const near = new RegExp(`cvc"?[:=>]"?${cvc}\\b`);
      return strings.some((text) => near.test(text));
    }).length;
    return { numbers, codes };
  } finally {
    await server.kill();
    rmSync(snapshots, { recursive: true });
  }
}

test('a heap snapshot after load holds next to no card number and security code', async () => {
  const found = await countAfterLoad('plain', '');
  console.info('heap', JSON.stringify({ sent: cards, ...found }));
  expect(found.numbers).toBeLessThanOrEqual(3);
  expect(found.codes).toBeLessThanOrEqual(3);
});

test('control: a server that keeps what it reads has them all', async () => {
  const found = await countAfterLoad('keeping', `--import=${join(import.meta.dirname, '../support/keeps-inputs.mjs')}`);
  expect(found.numbers).toBeGreaterThan(cards / 2);
  expect(found.codes).toBeGreaterThan(cards / 2);
});
