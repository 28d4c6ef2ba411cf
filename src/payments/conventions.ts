/** What these services share: the wire conventions, and the name of their tenants. */
import type { Conventions } from '../core/contract/index.ts';

export const conventions: Conventions = Object.freeze<Conventions>({
  requestReference: 'pspReference',
  tenant: 'company',
  timeZone: 'Europe/Amsterdam',
  problemTypes: 'https://docs.adyen.com/errors/',
  statusCodePrefix: '00_',
  libraryHeaders: [['adyen-library-name', 'adyen-library-version']],
  errors: 'plain',
  emptyLists: 'absent',
  fractions: 'absent',
});

export const tenants = Object.freeze({ tenantNoun: 'company', realm: 'Company' });
