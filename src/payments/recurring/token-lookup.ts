/** tokenLookup: the shoppers of a merchant account that hold a card or an account, found by its fingerprint. */

import { Buffer } from 'node:buffer';
import { Problem, problems } from '../../core/contract/index.ts';
import { parseTextList } from '../../core/lib/index.ts';
import type { Handler } from '../../stores/index.ts';
import type { CardSearchLimits } from './card-search-limits.ts';
import type { RecurringOperations } from './contract.ts';
import { beforeAll, type HolderPosition } from './details.ts';
import { findUnderEach } from './fingerprints.ts';
import { checkSecurityCode, identityOf } from './instrument.ts';
import { matchInstrument } from './match-instrument.ts';
import { DetailReader } from './store/repository.ts';
import { holdersMax } from './store/statements.ts';

export function tokenLookup(limits: CardSearchLimits): Handler<RecurringOperations['tokenLookup']> {
  return async (request, tx, { vault }) => {
    const { input, caller, requestReference: pspReference } = request;
    const searched = { tenant: caller.tenant, credential: caller.credential, number: input.card?.number };
    limits.checkLookup(searched);
    if (input.card !== undefined) checkSecurityCode(input.card);
    const { tenant: company } = caller;
    const after = readCursor(input.additionalData?.cursor);
    const fingerprints = vault.fingerprints(company, identityOf(input));
    const { merchantAccount } = input;
    const reader = tx.repository(DetailReader);
    const match = matchInstrument(input, company, vault);
    const holders = await findUnderEach(
      fingerprints,
      (fingerprint) => reader.findHolders({ company, merchantAccount }, { fingerprint, match }, after),
      ({ createdAt }) => createdAt,
      fingerprints.length * (holdersMax + 1),
    );
    limits.checkLookup(searched);
    // Also with a cursor, which a caller may make up.
    if (holders.length === 0) await limits.countMiss(searched, fingerprints[0]!);
    // A lookup under one key is in the order of the store already.
    const inOrder = fingerprints.length > 1 ? holders.toSorted(comparePositions) : holders;
    const found = inOrder.slice(0, holdersMax);
    const tokens = found.map(({ createdAt, email, shopperReference }) => ({
      creationDate: createdAt,
      lastKnownShopperEmail: email,
      shopperReference,
    }));
    return {
      additionalData: found.length < holders.length ? { cursor: printCursor(found.at(-1)!) } : undefined,
      pspReference,
      tokens: tokens.length > 0 ? tokens : undefined,
    };
  };
}

/** It names the last shopper of an answer, and tells nothing that the answer does not. */
function printCursor({ createdAt, shopperReference }: HolderPosition): string {
  return Buffer.from(JSON.stringify([String(createdAt), shopperReference])).toString('base64url');
}

/** Throws `invalidField` for a text that is no cursor. */
function readCursor(text: string | undefined): HolderPosition {
  if (text === undefined) return beforeAll;
  const [createdAt = '', shopperReference] = parseTextList(Buffer.from(text, 'base64url').toString(), 2) ?? [];
  if (shopperReference === undefined || !/^[0-9]{1,15}$/.test(createdAt))
    throw Problem.at(['additionalData', 'cursor'], problems.invalidField);
  return { createdAt: Number(createdAt), shopperReference };
}

/** In the order of the store. */
function comparePositions(a: HolderPosition, b: HolderPosition): number {
  return a.createdAt - b.createdAt || (a.shopperReference < b.shopperReference ? -1 : 1);
}
