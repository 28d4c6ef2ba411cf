/** The members of requests that Triglyph ignores, by the type that has them, each with where it comes from. */
import type { IgnoredMembers } from '../../core/contract/index.ts';

/** The official Python library, from 1.2 to 3.0, and the tests of its later versions. */
const python = 'the Python library';

/** Members that known clients add to any request. */
const anyRequest = { applicationInfo: python, action: 'clients of the form adapter' } as const;

/** A version is that of the oldest public description which has the member: WSDL up to 12, OpenAPI from 18. */
export const ignoredMembers = Object.freeze({
  Card: { billingAddress: 'version 1', brand: 'version 1' },
  CreatePermitRequest: anyRequest,
  DisablePermitRequest: anyRequest,
  DisableRequest: { ...anyRequest, reference: python, shopperEmail: python },
  NotifyShopperRequest: anyRequest,
  RecurringDetailsRequest: { ...anyRequest, customReference: 'version 1', reference: python, shopperEmail: python },
  RecurringRequest: anyRequest,
  ScheduleAccountUpdaterRequest: anyRequest,
  StoreAliasRequest: anyRequest,
  StoreTokenRequest: {
    ...anyRequest,
    params: 'version 12',
    pspEchoData: 'version 12',
    reference: python,
    returnUrl: 'version 12',
    shopperIP: 'version 12',
    shopperStatement: 'version 12',
  },
  TokenLookupRequest: anyRequest,
} as const satisfies Readonly<Record<string, IgnoredMembers>>);
