/** What the clients ask for: a few shoppers and cards, so that requests get into each other's way. */
import { services } from '../../src/api/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { speak } from '../../src/protocol/index.ts';
import type { Call, ProtocolName } from '../../src/protocol/protocol.ts';

export type Use = 'ONECLICK' | 'RECURRING' | 'PAYOUT';

export type Body =
  | {
      readonly operation: 'storeToken';
      readonly shopper: string;
      readonly card: string;
      readonly uses: readonly Use[];
    }
  /** By its card data, and by the shopper, whose detail follows. */
  | { readonly operation: 'scheduleAccountUpdater'; readonly shopper: string; readonly card: string }
  /** Without uses: all of them. */
  | { readonly operation: 'disable'; readonly shopper: string; readonly uses?: readonly Use[] };

export const company = 'Demo';
export const merchantAccount = 'DemoMerchant';
export const visa = '4111111111111111';
export const mastercard = '5555444433331111';

export const protocols = speak(services);
export const protocolNames = Object.keys(protocols) as ProtocolName[];
const service = services.at(-1)!;
export const operationOf = ({ operation }: Body): Operation => service.operations.get(operation)!;

const inputOf = (body: Body): object => {
  const shopper = { merchantAccount, shopperReference: body.shopper };
  if (body.operation === 'disable') return body.uses === undefined ? shopper : { ...shopper, contract: body.uses };
  const card = { number: body.card, expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' };
  if (body.operation === 'scheduleAccountUpdater') return { ...shopper, card, reference: 'check' };
  return { ...shopper, card, recurring: { contract: body.uses } };
};

export const textOf = (body: Body): string => {
  if (body.operation === 'scheduleAccountUpdater') return `${body.operation} ${body.shopper} ${body.card.slice(0, 4)}`;
  const uses = body.uses?.join('+') ?? 'all';
  return body.operation === 'disable'
    ? `disable ${body.shopper} ${uses}`
    : `storeToken ${body.shopper} ${body.card.slice(0, 4)} ${uses}`;
};

const calls = new Map<string, Call>();

/** Each is printed once. */
export const callOf = (body: Body, protocol: ProtocolName): Call => {
  const name = `${protocol} ${textOf(body)}`;
  const known = calls.get(name) ?? protocols[protocol].ask(service, operationOf(body), inputOf(body));
  calls.set(name, known);
  return known;
};
