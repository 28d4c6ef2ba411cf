/** How a server that stores details is asked what became of `storeToken`, where each shopper has one request. */
import type { UpstreamLookup } from '../../src/backend/upstreams/options.ts';

/** No request is on its way for so long. */
export function storedTokenLookup(notFoundAfterMs: number): Readonly<Record<string, UpstreamLookup>> {
  return {
    'Recurring.storeToken': {
      by: 'Recurring.listRecurringDetails',
      input: { merchantAccount: 'merchantAccount', shopperReference: 'shopperReference' },
      found: 'details',
      output: {
        pspReference: 'firstPspReference',
        recurringDetailReference: 'recurringDetailReference',
        result: { value: 'Success' },
      },
      notFoundAfterMs,
    },
  };
}
