/** A configuration in which every SOAP call is deprecated, so that clients meet the header block in every answer. */
import type { ConfigContent } from '../../src/program/app/config-file.ts';

export const deprecatedConfig: ConfigContent = {
  deprecations: [
    {
      format: ['soap11', 'soap12'],
      deprecatedSince: '2026-01-01',
      sunset: '2099-01-01',
      link: 'https://example.com/?a=1&b=2',
    },
  ],
};
