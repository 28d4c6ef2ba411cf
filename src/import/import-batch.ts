/** Keeps a batch of rows in one unit of work, together with how far the file was read. */

import { Problem, type ProblemKind } from '../contract/problem.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import type { HandlerContext } from '../gateway/handler.ts';
import { ReferenceTaken } from '../services/recurring/store/repository.ts';
import type { Registry } from '../store/sql/credential-registry.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { type Reason, type RowResult, reasonsOf } from './row.ts';

/** Where rows are kept. */
export interface ImportTarget {
  readonly store: Store;
  readonly registry: Pick<Registry, 'findCompany'>;
  readonly context: HandlerContext;
}

/** What the rows of a file are: their shape, and how one is kept. */
export interface ImportKind<R> {
  /** Keeps the progress of its files apart from that of others with the same bytes; empty for stored details. */
  readonly mark: string;
  /** That of an `R`. */
  readonly shape: ObjectSchema;
  /** For a merchant account that no company has. */
  readonly unknownAccount: ProblemKind;
  /** Throws a Problem for a row to refuse, before anything is written; or gives the reasons, where callers know none like it. */
  keep(row: R, company: string, tx: Transaction, world: HandlerContext): Promise<readonly Reason[] | undefined>;
}

export interface Pending<R> {
  readonly line: number;
  readonly row: number;
  readonly outcome: RowResult<R>;
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

/** A merchant account belongs to one company for good, so each is looked up once. */
const companies = ({ registry }: ImportTarget): ((account: string) => Promise<string | undefined>) => {
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

/** Rows of every kind name the merchant account that says whose they are. */
export type Row = { readonly merchantAccount: string };

export const createBatchImporter = <R extends Row>(
  room: ImportTarget,
  { keep, unknownAccount }: ImportKind<R>,
  source: string,
) => {
  const companyOf = companies(room);

  const attempt = async ({ outcome }: Pending<R>, tx: Transaction): Promise<readonly Reason[]> => {
    if ('reasons' in outcome) return outcome.reasons;
    const company = await companyOf(outcome.row.merchantAccount);
    try {
      if (company === undefined) throw Problem.at(['merchantAccount'], unknownAccount);
      return (await keep(outcome.row, company, tx, room.context)) ?? [];
    } catch (thrown) {
      // A Problem comes before anything is written, so the unit goes on without the row.
      if (thrown instanceof Problem) return reasonsOf(thrown);
      throw thrown;
    }
  };

  const keepTogether = (batch: readonly Pending<R>[], tell: Tell): Promise<readonly Refused[]> =>
    room.store.write(async (tx) => {
      const refused: Refused[] = [];
      for (const pending of batch) {
        const reasons = await attempt(pending, tx);
        if (reasons.length > 0) refused.push({ line: pending.line, row: pending.row, reasons });
      }
      tell(refused);
      await tx.importProgress.save(source, batch.at(-1)!.row, room.context.clock.now());
      return refused;
    });

  /** A taken reference is found out when the shopper is written already: such a row must have a unit to itself. */
  const keepAlone = async (pending: Pending<R>, tell: Tell): Promise<readonly Refused[]> => {
    try {
      return await keepTogether([pending], tell);
    } catch (thrown) {
      if (!(thrown instanceof ReferenceTaken)) throw thrown;
      return keepTogether([{ ...pending, outcome: { reasons: taken } }], tell);
    }
  };

  /** Gives the refused rows; `settled` is called after each commit. Resolves when all is durable. */
  return async (batch: readonly Pending<R>[], tell: Tell, settled: () => void): Promise<readonly Refused[]> => {
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
