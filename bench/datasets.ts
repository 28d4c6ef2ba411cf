/** The data of the measured listings: the demo's cards, or details with every field. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { appendLuhnDigit } from '../src/core/contract/check-digits.ts';
import { launchTriglyph } from './fleet.ts';
import { runCommand } from './scale/stores.ts';
import { startServer } from './server.ts';
import { reference } from './targets.ts';

export interface Dataset {
  readonly shoppers: number;
  /** Stored details of each shopper. */
  readonly details: number;
  readonly fields: 'card' | 'all' | 'allButSealed';
}

/** How many shoppers the demo creates itself. Those with more fields are imported. */
export function createdByDemo({ shoppers, fields }: Pick<Dataset, 'shoppers' | 'fields'>): number {
  return fields === 'card' ? shoppers : 0;
}

/** Creates the data in `folder`. Returns the time of a first start, in milliseconds. */
export async function createData(
  folder: string,
  { shoppers, details, fields }: Dataset,
  port: number,
): Promise<number> {
  const launch = await launchTriglyph({ folder, port, shoppers: createdByDemo({ shoppers, fields }) });
  const first = await startServer(launch);
  await first.stop();
  if (fields !== 'card') {
    const file = join(folder, 'details.jsonl');
    await pipeline(rows(shoppers, details, fields === 'all'), createWriteStream(file));
    await runCommand(['import', file], {
      DATA_DIR: launch.env.DATA_DIR!,
      KEY_FILE: join(launch.env.DATA_DIR!, 'keys'),
    });
  }
  return first.readyMs;
}

function* rows(shoppers: number, details: number, sealed: boolean): Generator<string> {
  for (let shopper = 1; shopper <= shoppers; shopper += 1)
    for (let index = 0; index < details; index += 1)
      yield `${JSON.stringify(row(reference(shopper), shopper * details + index, sealed))}\n`;
}

/** A card with every field that an answer can show for one, except, if so wanted, the one that is stored sealed. */
function row(shopperReference: string, number: number, sealed: boolean): object {
  return {
    merchantAccount: 'DemoMerchant',
    shopperReference,
    shopperEmail: `${shopperReference}@example.com`,
    contracts: 'ONECLICK,RECURRING',
    acquirer: 'TestPmmAcquirer',
    acquirerAccount: `TestPmmAcquirerAccount${number % 10}`,
    additionalData: { cardBin: '411111' },
    billingAddress: {
      city: 'Amsterdam',
      country: 'NL',
      houseNumberOrName: String((number % 900) + 1),
      postalCode: '1011 DJ',
      stateOrProvince: 'NH',
      street: 'Simon Carmiggeltstraat',
    },
    card: {
      number: appendLuhnDigit(`411111${String(number).padStart(9, '0')}`),
      expiryMonth: String((number % 12) + 1),
      expiryYear: '2040',
      holderName: 'Anna van Dijk',
      issueNumber: '1',
      startMonth: '3',
      startYear: '2020',
    },
    creationDate: new Date(Date.UTC(2024, 0, 1) + number * 1_000).toISOString(),
    firstPspReference: String(8_815_000_000_000_000 + number),
    name: 'My card',
    paymentMethodVariant: 'visacredit',
    shopperName: { firstName: 'Anna', gender: 'FEMALE', infix: 'van', lastName: 'Dijk' },
    socialSecurityNumber: sealed ? String(100_000_000 + (number % 900_000_000)) : undefined,
  };
}
