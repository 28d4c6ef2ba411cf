/** Keeps a batch of rows in one unit of work, together with how far the import has come. */
import type { ImportRow } from '../../api/recurring/import-row.ts';
import { Problem } from '../../contract/problem.ts';
import { keepDetail } from '../../domain/recurring/keep-detail.ts';
import { type ImportUnit, ReferenceTaken } from '../../store/sql/details.ts';
import type { Strongroom } from '../../strongroom.ts';
import { type Outcome, type Reason, reasonsOf } from './row.ts';

export interface Pending {
  readonly line: number;
  readonly row: number;
  readonly outcome: Outcome;
}

export interface Refused {
  readonly line: number;
  readonly row: number;
  readonly reasons: readonly Reason[];
}

/** What is told of the rows of a batch before it is committed. An engine may run a unit twice, and tell twice. */
type Tell = (refused: readonly Refused[]) => void;

const taken: readonly Reason[] = Object.freeze([
  { field: 'recurringDetailReference', code: '803', message: 'The reference belongs to another or a disabled detail' },
]);
const unknownAccount = Problem.at(['merchantAccount'], 'invalidMerchantAccount');

/** A merchant account belongs to one company for good, so each is looked up once. */
export const companies = ({ registry }: Strongroom): ((account: string) => Promise<string | undefined>) => {
  const known = new Map<string, string | undefined>();
  const knownMax = 10_000;
  return async (account) => {
    if (!known.has(account)) {
      if (known.size >= knownMax) known.clear();
      known.set(account, await registry.findCompany(account));
    }
    return known.get(account);
  };
};

const keepRow = async (row: ImportRow, company: string, unit: ImportUnit, { world }: Strongroom): Promise<void> => {
  const { merchantAccount, shopperReference, card, bank, elv, tokenDetails, variant, contracts } = row;
  const { acquirer, acquirerAccount, additionalData, billingAddress, name, paymentMethodVariant, shopperName } = row;
  await keepDetail(
    { company, merchantAccount, shopperReference },
    {
      card,
      bank,
      elv,
      tokenDetails,
      variant,
      contracts,
      firstPspReference: row.firstPspReference ?? world.references.pspReference(),
      shopperEmail: row.shopperEmail,
      socialSecurityNumber: row.socialSecurityNumber,
      also: { acquirer, acquirerAccount, additionalData, billingAddress, name, paymentMethodVariant, shopperName },
      createdAt: row.creationDate,
      recurringDetailReference: row.recurringDetailReference,
    },
    unit,
    world,
  );
};

export const keeper = (room: Strongroom, checksum: string) => {
  const companyOf = companies(room);

  const attempt = async ({ outcome }: Pending, unit: ImportUnit): Promise<readonly Reason[]> => {
    if ('reasons' in outcome) return outcome.reasons;
    const company = await companyOf(outcome.row.merchantAccount);
    try {
      if (company === undefined) throw unknownAccount;
      await keepRow(outcome.row, company, unit, room);
      return [];
    } catch (thrown) {
      // A Problem comes before anything is written, so the unit goes on without the row.
      if (thrown instanceof Problem) return reasonsOf(thrown);
      throw thrown;
    }
  };

  const keepTogether = (batch: readonly Pending[], tell: Tell): Promise<readonly Refused[]> =>
    room.details.write(async (unit) => {
      const refused: Refused[] = [];
      for (const pending of batch) {
        const reasons = await attempt(pending, unit);
        if (reasons.length > 0) refused.push({ line: pending.line, row: pending.row, reasons });
      }
      tell(refused);
      await unit.saveProgress(checksum, batch.at(-1)!.row, room.world.clock.now());
      return refused;
    });

  /** A taken reference is found out when the shopper is written already: such a row must have a unit to itself. */
  const keepAlone = async (pending: Pending, tell: Tell): Promise<readonly Refused[]> => {
    try {
      return await keepTogether([pending], tell);
    } catch (thrown) {
      if (!(thrown instanceof ReferenceTaken)) throw thrown;
      return keepTogether([{ ...pending, outcome: { reasons: taken } }], tell);
    }
  };

  /** Gives the refused rows; `settled` is called after each commit. Resolves when all is durable. */
  return async (batch: readonly Pending[], tell: Tell, settled: () => void): Promise<readonly Refused[]> => {
    try {
      const refused = await keepTogether(batch, tell);
      settled();
      return refused;
    } catch (thrown) {
      if (!(thrown instanceof ReferenceTaken)) throw thrown;
    }
    const refused: Refused[] = [];
    for (const pending of batch) {
      refused.push(...(await keepAlone(pending, tell)));
      settled();
    }
    return refused;
  };
};
