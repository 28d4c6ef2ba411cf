/** What the clients ask: three keys for a shopper, each with the body that it belongs to and others that it does not. */
import { services } from '../../src/api/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { speak } from '../../src/protocol/index.ts';
import type { Call, ProtocolName } from '../../src/protocol/protocol.ts';

/** In the order in which a shopper's keys are used: stored, disabled, and stored once more. */
export const keyNames = ['A', 'B', 'C'] as const;
export type KeyName = (typeof keyNames)[number];

export const wrongBodies = ['other card', 'other contract'] as const;
export type Body = 'right' | (typeof wrongBodies)[number];

export const merchantAccount = 'AcmeWeb';
export const company = 'Acme';

const protocols = speak(services);
export const protocolNames = Object.keys(protocols) as readonly ProtocolName[];

const service = services.find(({ operations }) => operations.has('storeToken'))!;

export const operationOf = (key: KeyName): Operation => service.operations.get(key === 'B' ? 'disable' : 'storeToken')!;

/** The last four digits, and so what is shown of the card, tell the two apart. */
const numbers = { right: '4111111111111111', other: '5500000000000004' } as const;
export const rightDigits = numbers.right.slice(-4);
export const rightContracts = ['ONECLICK', 'RECURRING'] as const;

/** The name of the holder says which key a stored detail is the effect of. */
const storing = (shopperReference: string, key: KeyName, body: Body): object => ({
  card: {
    number: body === 'other card' ? numbers.other : numbers.right,
    expiryMonth: '8',
    expiryYear: '2040',
    holderName: key,
  },
  merchantAccount,
  recurring: { contract: body === 'other contract' ? ['PAYOUT'] : [...rightContracts] },
  shopperReference,
});

const disabling = (shopperReference: string, body: Body): object => ({
  merchantAccount,
  shopperReference,
  ...(body !== 'right' && { contract: ['ONECLICK'] }),
});

export const callOf = (protocol: ProtocolName, shopper: string, key: KeyName, body: Body): Call =>
  protocols[protocol].ask(
    service,
    operationOf(key),
    key === 'B' ? disabling(shopper, body) : storing(shopper, key, body),
  );

/** In all formats: `errorCode` and its value, or the code after the type. */
const codeForm = /(?:errorCode(?:"\s*:\s*"|=)|(?:validation|security|internal) )(\w+)/;

export const codeOf = (text: string): string | undefined => codeForm.exec(text)?.[1];

/** The canonical answer as JSON, its names in their order. Throws where the text is no answer of the operation. */
export const canonicalOf = (protocol: ProtocolName, key: KeyName, text: string): string => {
  const { value, issues } = protocols[protocol].hear(operationOf(key), text);
  if (issues.length > 0) throw new TypeError(`an answer that breaks the contract: ${text.slice(0, 200)}`);
  return JSON.stringify(Object.entries(value as object).sort(([one], [other]) => (one < other ? -1 : 1)));
};
