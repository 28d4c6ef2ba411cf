/** A balance platform as it ought to be: its resources, what is kept of each new state, and that the company is told of it. */
import { rowText, toldText } from './effect-text.ts';
import type { Expected, Refusal } from './expected.ts';
import type { Status } from './resource-body.ts';
import { firstResources } from './resource-records.ts';

const tables = {
  accountHolder: 'account_holder',
  balanceAccount: 'balance_account',
  paymentInstrument: 'payment_instrument',
} as const;

export interface Resource {
  readonly kind: keyof typeof tables;
  readonly revision: number;
  readonly record: {
    readonly id: string;
    readonly status: Status;
    /** Of an account. */
    readonly accountHolderId?: string;
    /** Of a payment instrument. */
    readonly balanceAccountId?: string;
    /** Of a holder. */
    readonly primaryBalanceAccount?: string;
    readonly [member: string]: unknown;
  };
}

const words: Readonly<Record<Exclude<Refusal, 'contractNotFound' | 'illegalMove'>, string>> = {
  finallyClosed: 'What is closed cannot be changed any more',
  holderInUse: 'An account holder can only be closed when all of its balance accounts are closed',
  holderNotActive: 'The account holder is not active',
  accountHolderClosed: 'The account holder is closed',
  accountInUse: 'A balance account can only be closed when all of its payment instruments are closed',
  accountNotActive: 'The balance account is not active',
  accountClosed: 'The balance account is closed',
};

export const refused = (outcome: keyof typeof words): Expected => ({ outcome, words: words[outcome] });

/** The same for all of them; a holder is never inactive. */
const moves: Readonly<Record<Status, readonly Status[]>> = {
  inactive: ['active', 'closed'],
  active: ['suspended', 'closed'],
  suspended: ['active', 'closed'],
  closed: [],
};

/** Undefined where it may move there, or stay. */
export const refusedMove = ({ record: { status: from } }: Resource, to: Status = from): Expected | undefined => {
  if (from === 'closed') return refused('finallyClosed');
  if (from === to || moves[from].includes(to)) return undefined;
  return { outcome: 'illegalMove', words: `The status cannot go from ${from} to ${to}` };
};

const parentOf = ({ record }: Resource): string | undefined => record.accountHolderId ?? record.balanceAccountId;

const textOf = (resource: Resource): string => {
  const { kind, revision, record } = resource;
  const parent = parentOf(resource);
  const columns = [record.id, ...(parent === undefined ? [] : [parent]), record.status, revision];
  return rowText(tables[kind], columns, record);
};

const answered = ({ record, revision }: Resource): Expected => ({
  outcome: 'ok',
  output: record,
  eTag: `"${revision}"`,
});

export class Resources {
  /** Oldest first. */
  readonly #all = new Map<string, Resource>(firstResources.map((each) => [each.record.id, each]));
  /** New states since somebody asked. */
  #written: (readonly ['add' | 'change', Resource])[] = [];

  get(id: string): Resource {
    const found = this.#all.get(id);
    if (found === undefined) throw new Error(`there is no ${id}`);
    return found;
  }

  /** The oldest of a parent that is not closed. */
  oldestOpen(parent: string): Resource | undefined {
    return [...this.#all.values()].find((each) => parentOf(each) === parent && each.record.status !== 'closed');
  }

  add(kind: Resource['kind'], record: Resource['record']): Expected {
    if (this.#all.has(record.id)) throw new Error(`${record.id} was given out before`);
    return this.#write('add', { kind, revision: 1, record });
  }

  /** What does not differ is no change. */
  change(id: string, changes: Partial<Resource['record']>): Expected {
    const before = this.get(id);
    const after = { ...before, record: { ...before.record, ...changes } };
    if (textOf(before) === textOf(after)) return answered(before);
    return this.#write('change', { ...after, revision: before.revision + 1 });
  }

  /** What is written since somebody asked, as text. `psp`: by which request. */
  effects(psp: string): readonly string[] {
    const written = this.#written;
    this.#written = [];
    return written.flatMap(([verb, resource]) => {
      const { kind, record } = resource;
      const told = toldText(kind, record.id, verb === 'add' ? 'created' : 'updated', psp, record);
      return [`${verb} ${textOf(resource)}`, told];
    });
  }

  lines(): readonly string[] {
    return [...this.#all.values()].map(textOf).toSorted();
  }

  #write(verb: 'add' | 'change', resource: Resource): Expected {
    this.#all.set(resource.record.id, resource);
    this.#written.push([verb, resource]);
    return answered(resource);
  }
}
