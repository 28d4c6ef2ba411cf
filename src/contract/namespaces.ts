/** Namespace URIs: what the short names of the contract stand for on the SOAP wire and in its documents. */
import type { Service } from './operation.ts';
import type { Namespace } from './shape.ts';

export const namespaceUris: Readonly<Record<Namespace, string>> = Object.freeze({
  recurring: 'http://recurring.services.adyen.com',
  payment: 'http://payment.services.adyen.com',
  common: 'http://common.services.adyen.com',
});

const ofService: Readonly<Record<string, Namespace>> = Object.freeze({ Recurring: 'recurring' });

/** Where a service's own elements, lists and maps live: the target namespace of its WSDL. */
export const serviceNamespace = (service: Pick<Service, 'name'>): Namespace => {
  const namespace = ofService[service.name];
  if (namespace === undefined) throw new TypeError(`the service ${service.name} has no namespace`);
  return namespace;
};
