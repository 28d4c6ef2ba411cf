/** The wire conventions that these services share. */
import type { Conventions } from '../contract/conventions.ts';

export const conventions: Conventions = Object.freeze<Conventions>({
  requestReference: 'pspReference',
  tenant: 'company',
  timeZone: 'Europe/Amsterdam',
  problemTypes: 'https://docs.adyen.com/errors/',
  statusCodePrefix: '00_',
  libraryHeaders: [['adyen-library-name', 'adyen-library-version']],
});
