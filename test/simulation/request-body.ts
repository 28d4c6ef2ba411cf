/** What the clients ask for, as calls: of shoppers and cards a few, so that requests get into each other's way. */

import type { Operation } from '../../src/contract/operation.ts';
import { createProtocols } from '../../src/formats/index.ts';
import { type Call, namedProtocols, type ProtocolName } from '../../src/formats/protocol.ts';
import { balancePlatformV2 } from '../../src/services/balance-platform/v2.ts';
import { services } from '../../src/services/index.ts';
import { recurringV25 } from '../../src/services/recurring/v25.ts';
import { inputOfResource, type ResourceBody, textOfResource } from './resource-body.ts';

export type Use = 'ONECLICK' | 'RECURRING' | 'PAYOUT';

/** About stored details. */
export type DetailBody =
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

export type Body = DetailBody | ResourceBody;

export const company = 'Demo';
export const merchantAccount = 'DemoMerchant';
export const visa = '4111111111111111';
export const mastercard = '5555444433331111';

export const protocols = createProtocols(services);
export type Spoken = ProtocolName;

export const protocolNames: readonly Spoken[] = namedProtocols;
const restAlone: readonly Spoken[] = ['rest'];

export const isAboutResources = (body: Body): body is ResourceBody => !('shopper' in body);

/** In what a body can be said. */
export const protocolNamesOf = (body: Body): readonly Spoken[] => (isAboutResources(body) ? restAlone : protocolNames);

const serviceOf = (body: Body) => (isAboutResources(body) ? balancePlatformV2 : recurringV25);
const operationOf = (body: Body): Operation => serviceOf(body).operations.get(body.operation)!;

const inputOf = (body: Body): object => {
  if (isAboutResources(body)) return inputOfResource(body);
  switch (body.operation) {
    case 'disable':
      return { ...whose(body), ...(body.uses !== undefined && { contract: body.uses }) };
    case 'scheduleAccountUpdater':
      return { ...whose(body), card: cardOf(body), reference: 'check' };
    case 'storeToken':
      return { ...whose(body), card: cardOf(body), recurring: { contract: body.uses } };
    default:
      return body satisfies never;
  }
};

const whose = ({ shopper }: DetailBody): object => ({ merchantAccount, shopperReference: shopper });
const cardOf = ({ card }: { readonly card: string }): object => ({
  ...{ number: card, expiryMonth: '8', expiryYear: '2031' },
  holderName: 'Anna van Dijk',
});

export const textOf = (body: Body): string => {
  if (isAboutResources(body)) return textOfResource(body);
  switch (body.operation) {
    case 'disable':
      return `disable ${body.shopper} ${body.uses?.join('+') ?? 'all'}`;
    case 'scheduleAccountUpdater':
      return `${body.operation} ${body.shopper} ${body.card.slice(0, 4)}`;
    case 'storeToken':
      return `storeToken ${body.shopper} ${body.card.slice(0, 4)} ${body.uses.join('+')}`;
    default:
      return body satisfies never;
  }
};

const calls = new Map<string, Call>();

/** Each is printed once. */
export const callOf = (body: Body, protocol: Spoken): Call => {
  const name = `${protocol} ${textOf(body)}`;
  const known = calls.get(name) ?? protocols[protocol].encodeRequest(serviceOf(body), operationOf(body), inputOf(body));
  calls.set(name, known);
  return known;
};

/** What the caller makes of the answer. */
export const heardOf = (body: Body, protocol: Spoken, text: string): object =>
  protocols[protocol].decodeResponse(operationOf(body), text).value as object;
