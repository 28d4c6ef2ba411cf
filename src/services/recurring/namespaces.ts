/** XML namespaces of the Recurring service, as its published WSDL has them. */
import type { Namespaces } from '../../contract/service.ts';

export const namespaces: Namespaces = Object.freeze({
  own: 'recurring',
  uris: Object.freeze({
    recurring: 'http://recurring.services.adyen.com',
    payment: 'http://payment.services.adyen.com',
    common: 'http://common.services.adyen.com',
  }),
  fault: Object.freeze({
    prefix: 'common',
    errors: Object.freeze([
      'Unknown',
      'NotAllowed',
      'NoAmountSpecified',
      'UnableToDetermineVariant',
      'InvalidMerchantAccount',
      'RequestMissing',
      'InternalError',
      'UnableToProcess',
      'PaymentDetailsAreNotSupported',
    ]),
  }),
});
