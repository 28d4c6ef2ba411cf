/** What a unit wrote and what the gateway chose in it, read off its statements; and the rows that are there at the end. */

import { changedText, disabledText, jobText, rowText, savedText, toldText, usesText } from './effect-text.ts';
import type { Made } from './expected.ts';
import type { Use } from './request-body.ts';
import type { Entry, SimDatabase } from './sim-database.ts';

/** The tables of resources, with the column that names the parent. */
const parentColumns = {
  account_holder: [],
  balance_account: ['account_holder_id'],
  payment_instrument: ['balance_account_id'],
} as const;
type Table = keyof typeof parentColumns;

const ofResource = /^(add|change)-(account_holder|balance_account|payment_instrument)$/;

/** How many values of such a statement stand before the record: platform, id, parent, status, revision. */
const columnsBefore = (table: Table): number => 4 + parentColumns[table].length;

const records = new Map<string, object>();

/** As it is kept; runs have the same ones again and again, and each is read once. */
const recordOf = (text: unknown): object => {
  const known = records.get(String(text)) ?? JSON.parse(String(text));
  records.set(String(text), known);
  return known;
};

const tellings = new Map<string, string>();

/** Of a notice as it is kept; this, too, is read once. */
export const toldOf = (payload: string): string => {
  const known = tellings.get(payload) ?? readTold(payload);
  tellings.set(payload, known);
  return known;
};

const readTold = (payload: string): string => {
  const { kind, shopperReference, recurringDetailReference, record, operation, pspReference } = JSON.parse(payload);
  return record === undefined
    ? toldText(kind, shopperReference, recurringDetailReference, pspReference)
    : toldText(kind, record.id, operation, pspReference, record);
};

export const effectsOf = ({ statement, parameters }: Entry): readonly string[] => {
  // Each notice is six values, after the company; the third is what is kept of it.
  if (statement.name.startsWith('tell-'))
    return parameters.flatMap((parameter, index) => (index % 6 === 3 ? [toldOf(String(parameter))] : []));
  const [, verb, table] = ofResource.exec(statement.name) ?? [];
  if (table !== undefined) {
    const before = columnsBefore(table as Table);
    return [`${verb} ${rowText(table, parameters.slice(1, before), recordOf(parameters[before]))}`];
  }
  const [, , shopper, reference, , uses] = parameters.map(String);
  switch (statement.name) {
    case 'save-detail':
      return [savedText(shopper!, reference!, uses!.split(',') as Use[])];
    case 'disable-detail':
      return [disabledText(shopper!, reference!)];
    case 'save-change':
      return [changedText(String(parameters[1]), String(parameters[5]))];
    case 'save-job':
      return [jobText(String(parameters[2]))];
    default:
      return [];
  }
};

/** What the gateway chose. */
export const madeIn = (entries: readonly Entry[]): Made => {
  const find = (name: string) => entries.find(({ statement }) => statement.name.startsWith(name))?.parameters;
  const id = find('add-')?.[1];
  const made = { reference: find('save-detail')?.[3]?.toString(), id: id?.toString() };
  const cardAdded = find('add-payment_instrument');
  if (cardAdded === undefined) return made;
  const { card } = JSON.parse(String(cardAdded[5]));
  return {
    ...made,
    card: { lastFour: card.lastFour, expiration: card.expiration, fingerprint: String(cardAdded[6]) },
  };
};

/** One line for each stored detail, disabled ones too. */
export const detailLinesIn = (database: SimDatabase): readonly string[] =>
  database
    .rows(
      `select shopper_reference as shopper, recurring_detail_reference as reference, contracts, disabled_at,
              json_extract(open_part, '$.firstPspReference') as psp from stored_detail`,
    )
    .map(({ shopper, reference, contracts, disabled_at, psp }) => {
      const uses = usesText(String(contracts).split(',') as Use[]);
      return [shopper, reference, disabled_at === null ? uses : 'disabled', psp].join(' ');
    })
    .toSorted();

/** One line for each resource. */
export const resourceLinesIn = (database: SimDatabase): readonly string[] =>
  Object.entries(parentColumns)
    .flatMap(([table, parents]) => {
      const columns = ['id', ...parents, 'status', 'revision'];
      return database.rows(`select ${columns.join()}, record from ${table}`).map((row) =>
        rowText(
          table,
          columns.map((column) => row[column]),
          recordOf(row.record),
        ),
      );
    })
    .toSorted();
