/** Tests third-party SOAP clients that use only the served WSDL. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const client = (name: string) => join(import.meta.dirname, 'clients', name);

const stacks = [
  { name: 'php', command: ['php', client('client.php')] },
  // The system's interpreter: zeep is a system package.
  { name: 'zeep', command: ['/usr/bin/python3', client('client.py')] },
  { name: 'node', command: [process.execPath, client('client.mjs')] },
] as const;

interface Seen {
  readonly store: Readonly<Record<string, string>>;
  readonly list: {
    readonly lastKnownShopperEmail: string;
    readonly shopperReference: string;
    readonly details: { readonly RecurringDetail: readonly Detail[] };
  };
  readonly unknown: Readonly<Record<string, unknown>>;
  readonly holders: { readonly tokens: { readonly TokenDetail: readonly { readonly shopperReference: string }[] } };
  readonly update: Readonly<Record<string, string>>;
  readonly disable: string | { readonly response: string };
  readonly fault: string;
}

interface Detail {
  readonly card: Readonly<Record<string, string>>;
  readonly contractTypes: { readonly string: readonly string[] };
  readonly recurringDetailReference: string;
  readonly variant: string;
}

const folder = tempFolder();
let server: Server;
beforeAll(async () => {
  server = await startServer('demo', folder.path);
});
afterAll(async () => {
  await server.stop();
  folder.discard();
});

const talk = async ([program, ...parameters]: readonly string[], version: string): Promise<Seen> => {
  const wsdl = `${server.callers}/pal/servlet/Recurring/v25?wsdl`;
  const { stdout } = await run(program!, [...parameters, wsdl, 'ws@Company.Demo', 'demo-password', version]);
  return JSON.parse(stdout);
};

describe.each(stacks)('$name', ({ name, command }) => {
  test.each(['1.1', '1.2'])('calls every operation over SOAP %s', async (version) => {
    const { store, list, unknown, holders, update, disable, fault } = await talk(command, version);
    expect(store).toMatchObject({ aliasType: 'Default', result: 'Success' });
    expect(store.pspReference).toMatch(/^[A-Z0-9]{16}$/);
    expect(list).toMatchObject({
      lastKnownShopperEmail: 'stack@example.com',
      shopperReference: `${name}-${version}`,
    });
    const [detail, ...others] = [list.details.RecurringDetail].flat();
    expect(others).toEqual([]);
    expect(detail).toMatchObject({
      card: { expiryMonth: '8', expiryYear: '2031', holderName: 'Zoë <&> Ω', number: '1111' },
      contractTypes: { string: ['ONECLICK', 'RECURRING'] },
      recurringDetailReference: store.recurringDetailReference,
      variant: 'visa',
    });
    expect(unknown.creationDate ?? null).toBeNull();
    // The demo's bank account of shopper-1.
    expect([holders.tokens.TokenDetail].flat()).toMatchObject([{ shopperReference: 'shopper-1' }]);
    // No issuer has announced a change of the card.
    expect(update).toMatchObject({ result: 'NoChange', pspReference: expect.stringMatching(/^[A-Z0-9]{16}$/) });
    // zeep unwraps a result of one element.
    expect(typeof disable === 'string' ? disable : disable.response).toBe('[detail-successfully-disabled]');
    expect(fault).toBe('validation 800 Contract not found');
  });
});
