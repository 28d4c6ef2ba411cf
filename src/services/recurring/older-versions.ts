/** Upgrades requests of older versions to the newest one, and downgrades its responses. */
import type { Input, Output } from '../../contract/operation.ts';
import { olderVersion } from '../../gateway/older-version.ts';
import * as v25 from './v25.ts';
import * as v40 from './v40.ts';
import { recurringV49 } from './v49.ts';
import * as v68 from './v68.ts';

/** Before version 40. */
const withoutAgreement = {
  listRecurringDetails: (input: Input<typeof v25.listRecurringDetails>): Input<typeof v40.listRecurringDetails> =>
    input,
  storeToken: (input: Input<typeof v25.storeToken>): Input<typeof v40.storeToken> => input,
};

/** Before version 68. */
function withoutNetworkReference({
  details,
  ...output
}: Output<typeof v68.listRecurringDetails>): Output<typeof v25.listRecurringDetails> {
  return { ...output, details: details?.map(({ networkTxReference: _, ...detail }) => detail) };
}

export const adaptersOfV25 = {
  listRecurringDetails: { upgrade: withoutAgreement.listRecurringDetails, downgrade: withoutNetworkReference },
  storeToken: { upgrade: withoutAgreement.storeToken },
};

const adaptersOfV40 = { listRecurringDetails: { downgrade: withoutNetworkReference } };

/** Oldest first. */
export const olderVersions = [
  olderVersion(v25.recurringV25, v68.recurringV68, adaptersOfV25),
  olderVersion(v40.recurringV40, v68.recurringV68, adaptersOfV40),
  olderVersion(recurringV49, v68.recurringV68, adaptersOfV40),
] as const;
