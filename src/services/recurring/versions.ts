/** The older versions of the Recurring service, the newest first: each states its differences to the next one. */
import { has, lacks, olderVersion } from '../../contract/older-version.ts';
import { map, optional, string } from '../../contract/schema.ts';
import { newestRecurring } from './contract.ts';
import * as shapes from './schemas.ts';

const text = (example: string) => string({ example });
const entries = map(100, { entry: 'value' });
const output = { side: 'output' } as const;

const recurringV49 = olderVersion(newestRecurring, {
  version: 49,
  answers: { from: 49, to: 67 },
  errorMap: 'additionalData',
  differences: [lacks('RecurringDetail', 'networkTxReference')],
});

const recurringV40 = olderVersion(recurringV49, { version: 40, answers: { from: 40, to: 48 } });

/** Callers of addresses without a version have strict stubs of old versions, so this contract answers them. */
export const recurringV25 = olderVersion(recurringV40, {
  version: 25,
  // Stubs made before this version send nothing that it lacks.
  answers: { from: 13, to: 39 },
  legacy: { soap: '/pal/servlet/soap/Recurring', adapter: '/pal/adapter/httppost', wsdl: '/pal/Recurring.wsdl' },
  differences: [
    // They are ignored in any version, so a retry through another one repeats the same request.
    lacks('Recurring', 'recurringExpiry', { ignored: 'version 40' }),
    lacks('Recurring', 'recurringFrequency', { ignored: 'version 40' }),
  ],
});

/** Its types are those of the published WSDL, which strict stubs of it require. */
export const recurringV12 = olderVersion(recurringV25, {
  version: 12,
  answers: { from: 1, to: 12 },
  differences: [
    lacks('RecurringDetailsResult', 'invalidOneclickContracts'),
    lacks('RecurringDetail', 'acquirer'),
    lacks('RecurringDetail', 'acquirerAccount'),
    lacks('BankAccount', 'bankCity', output),
    lacks('BankAccount', 'taxId', output),
    has('Card', 'billingAddress', optional(shapes.address, 'Not used.'), output),
    has('StoreTokenRequest', 'params', optional(entries, 'Ignored.')),
    has('StoreTokenRequest', 'pspEchoData', optional(text('echo'), 'Ignored.')),
    has('StoreTokenRequest', 'returnUrl', optional(text('https://shop.example.com/return'), 'Ignored.')),
    has('StoreTokenRequest', 'shopperIP', optional(text('192.0.2.1'), 'Ignored.')),
    has('StoreTokenRequest', 'shopperStatement', optional(text('Example shop'), 'Ignored.')),
    has('StoreTokenResult', 'additionalData', optional(entries, 'Not used.')),
    has('StoreTokenResult', 'params', optional(entries, 'Not used.')),
    has('StoreTokenResult', 'pspEchoData', optional(text('echo'), 'Not used.')),
    has('StoreTokenResult', 'redirectType', optional(text('GET'), 'Not used.')),
    has('StoreTokenResult', 'redirectUrl', optional(text('https://shop.example.com/return'), 'Not used.')),
    lacks('StoreTokenResult', 'rechargeReference'),
  ],
});

/** Oldest first. */
export const olderVersions = [recurringV12, recurringV25, recurringV40, recurringV49] as const;
