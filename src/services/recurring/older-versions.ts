/** Upgrades requests of older versions to the newest one, and downgrades its responses. */
import type { Input, Output } from '../../contract/operation.ts';
import { olderVersion } from '../../gateway/older-version.ts';
import * as v12 from './v12.ts';
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

/** Version 12. */
function withoutLaterMembers({
  details,
  invalidOneclickContracts: _,
  ...output
}: Output<typeof v68.listRecurringDetails>): Output<typeof v12.listRecurringDetails> {
  return { ...output, details: details?.map(detailOfV12) };
}

type Details = NonNullable<Output<typeof v68.listRecurringDetails>['details']>;
type DetailsOfV12 = NonNullable<Output<typeof v12.listRecurringDetails>['details']>;

function detailOfV12({
  acquirer: _acquirer,
  acquirerAccount: _account,
  networkTxReference: _reference,
  bank,
  ...detail
}: Details[number]): DetailsOfV12[number] {
  return { ...detail, bank: bank && bankOfV12(bank) };
}

function bankOfV12({ bankCity: _city, taxId: _id, ...bank }: NonNullable<Details[number]['bank']>) {
  return bank;
}

/** Members that mean nothing here, so a retry through another version repeats the same request. */
function withoutIgnoredMembers({
  params: _params,
  pspEchoData: _data,
  returnUrl: _url,
  shopperIP: _ip,
  shopperStatement: _statement,
  ...input
}: Input<typeof v12.storeToken>): Input<typeof v40.storeToken> {
  return input;
}

function withoutRechargeReference({
  rechargeReference: _,
  ...output
}: Output<typeof v40.storeToken>): Output<typeof v12.storeToken> {
  return output;
}

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

const adaptersOfV12 = {
  listRecurringDetails: { upgrade: withoutAgreement.listRecurringDetails, downgrade: withoutLaterMembers },
  storeToken: { upgrade: withoutIgnoredMembers, downgrade: withoutRechargeReference },
};

const adaptersOfV40 = { listRecurringDetails: { downgrade: withoutNetworkReference } };

/** Oldest first. */
export const olderVersions = [
  olderVersion(v12.recurringV12, v68.recurringV68, adaptersOfV12),
  olderVersion(v25.recurringV25, v68.recurringV68, adaptersOfV25),
  olderVersion(v40.recurringV40, v68.recurringV68, adaptersOfV40),
  olderVersion(recurringV49, v68.recurringV68, adaptersOfV40),
] as const;
