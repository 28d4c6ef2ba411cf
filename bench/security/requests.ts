/** The requests of the neighbour and of the attackers. */
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { basic } from '../../test/support/server.ts';
import { bytesOf, type Sent } from './connection.ts';

const protocols = createProtocols(services);
const listing = recurringV25.operations.get('listRecurringDetails')!;
const storing = recurringV25.operations.get('storeToken')!;

/** Credentials of two companies of the demo. */
const neighbour = { authorization: basic('ws@Company.Demo', 'demo-password'), merchantAccount: 'DemoMerchant' };
const attacker = { authorization: basic('ws@Company.Other', 'other-password'), merchantAccount: 'OtherMerchant' };

function call(
  format: 'json' | 'soap11',
  authorization?: string,
  merchantAccount = '',
): Sent & { readonly body: string } {
  const input = { merchantAccount, shopperReference: 'shopper-000001' };
  const { path, contentType, body } = protocols[format].encodeRequest(recurringV25, listing, input);
  return {
    path,
    headers: { 'Content-Type': contentType, ...(authorization !== undefined && { Authorization: authorization }) },
    body,
  };
}

export const neighbourListing = bytesOf(call('json', neighbour.authorization, neighbour.merchantAccount));
export const attackerListing = bytesOf(call('json', attacker.authorization, attacker.merchantAccount));
export const withoutCredential = bytesOf(call('json'));

/** 57 KB with 4,000 members that the contract does not have. */
export const unknownMembers = bytesOf({
  ...call('json', attacker.authorization),
  body: `{${Array.from({ length: 4_000 }, (_, at) => `"unknown${at}":1`).join(',')}}`,
});

/** 51 KB with 6,500 attributes in one tag. */
export const manyAttributes = (() => {
  const soap = call('soap11', attacker.authorization, attacker.merchantAccount);
  const attributes = Array.from({ length: 6_500 }, (_, at) => `a${at.toString(36)}=""`).join(' ');
  return bytesOf({ ...soap, body: soap.body.replace('<merchantAccount>', `<a ${attributes}/><merchantAccount>`) });
})();

let hosts = 0;

/** A document at a host that nobody has asked for before. */
export function madeUpHost(): Buffer {
  hosts += 1;
  const path = hosts % 2 === 0 ? '/openapi.json' : '/pal/servlet/Recurring/v68?wsdl';
  return bytesOf({ method: 'GET', path, headers: { Host: `made-up-${process.pid}-${hosts}.example` } });
}

/** Encoded once, so that the load costs little beside the server. */
const storings = Array.from({ length: 100 }, (_, at): Sent => {
  const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2040', holderName: 'Anna van Dijk' };
  const shopperReference = `shopper-${String(at).padStart(6, '0')}`;
  const input = { merchantAccount: 'DemoMerchant', shopperReference, card, recurring: { contract: ['RECURRING'] } };
  const { path, contentType, body } = protocols.json.encodeRequest(recurringV25, storing, input);
  return { path, headers: { Authorization: neighbour.authorization, 'Content-Type': contentType }, body };
});

let cards = 0;

/** Stores a card of one of a hundred shoppers, with a key of its own. */
export function storing100(run: string): Buffer {
  cards += 1;
  const sent = storings[cards % storings.length]!;
  return bytesOf({ ...sent, headers: { ...sent.headers, 'Idempotency-Key': `${run}-${cards}` } });
}
