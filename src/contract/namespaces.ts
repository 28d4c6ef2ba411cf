/** Namespace URIs: what the short names of the contract stand for on the SOAP wire and in its documents. */
import type { Namespace } from './schema.ts';

export const namespaceUris: Readonly<Record<Namespace, string>> = Object.freeze({
  recurring: 'http://recurring.services.adyen.com',
  payment: 'http://payment.services.adyen.com',
  common: 'http://common.services.adyen.com',
});
