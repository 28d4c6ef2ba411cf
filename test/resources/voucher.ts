/** Vouchers of the example: their model, what clients ask of them, and what is there at first. */
import { addVoucher, changeAmount, saveVoucher } from '../../examples/vouchers/vouchers.ts';
import { RowIntegrity } from '../../src/stores/row-integrity.ts';
import { eventText, jobText } from '../simulation/effect-text.ts';
import type { Step } from '../simulation/expected.ts';
import type { Model } from '../simulation/model.ts';
import { company, type Execution, type SimulatedRequest } from '../simulation/request.ts';
import { vault } from '../simulation/vault.ts';
import { findOperation } from './operations.ts';
import type { FaultTrack, TestResource } from './resource.ts';

export const shop = 'amsterdam';
const first = { code: 'FIRST', holder: 'anna', amount: 500 } as const;

const fingerprintOf = (code: string): string => vault.fingerprint(company, code);
const lineOf = (fingerprint: unknown, amount: unknown): string => ['voucher', fingerprint, amount].join(' ');

/** The amount that each voucher has left, by its code. */
type Amounts = Map<string, number>;
const createAmounts = (): Amounts => new Map();

type Apply = (amounts: Amounts, execution: Execution) => Step;

const voucherRequest = (operation: string, code: string, amount: number, also: object, apply: Apply) => ({
  ...findOperation(operation),
  text: [operation, code, amount].join(' '),
  input: { shop, code, amount, ...also },
  apply: (model: Model, execution: Execution) => apply(model.state(createAmounts), execution),
});

/** A code that was issued before keeps its amount. */
const issue = (code: string, amount: number): SimulatedRequest =>
  voucherRequest('issueVoucher', code, amount, { holder: 'bert' }, (amounts, { pspReference }) => {
    const isNew = !amounts.has(code);
    if (isNew) amounts.set(code, amount);
    const added = isNew ? [`add ${lineOf(fingerprintOf(code), amount)}`] : [];
    const event = eventText('issued', pspReference, 'bert', pspReference);
    return { expected: { outcome: 'ok', output: { amount } }, effects: [...added, jobText('voucher-greeting'), event] };
  });

const redeem = (code: string, amount: number): SimulatedRequest =>
  voucherRequest('redeemVoucher', code, amount, {}, (amounts) => {
    const before = amounts.get(code);
    if (before === undefined)
      return { expected: { outcome: 'unknownVoucher', message: 'Unknown voucher' }, effects: [] };
    const left = before - amount;
    if (left < 0)
      return { expected: { outcome: 'tooLittleLeft', message: 'The voucher has too little left' }, effects: [] };
    amounts.set(code, left);
    const effects = [`change ${lineOf(fingerprintOf(code), left)}`];
    return { expected: { outcome: 'ok', output: { amount: left } }, effects };
  });

/** What the voucher of a shopper is worth, and what each key pays with it: the amount that is left shows which keys have paid. */
const worth = 1_000_000;
const payments = { pay: 1_000, payAgain: 1 } as const;
/** No sum of the right ones. */
const otherAmount = 50;

const paying = (amount: number) => ({
  operation: 'redeemVoucher',
  bodies: { right: { amount }, 'other amount': { amount: otherAmount } },
});

const faultTrack: FaultTrack = {
  keys: {
    issue: {
      operation: 'issueVoucher',
      bodies: { right: { amount: worth }, 'other amount': { amount: worth - otherAmount } },
    },
    pay: paying(payments.pay),
    payAgain: paying(payments.payAgain),
  },
  // A payment names no holder.
  addressing: (holder) => ({ shop, code: `code of ${holder}`, holder }),
  table: 'voucher',
  columns: ['holder', 'amount'],
  ownerOf({ holder, amount }) {
    const paid = worth - Number(amount);
    const small = paid % payments.pay;
    if (small >= otherAmount) return undefined;
    return { shopper: holder!, key: paid === 0 ? 'issue' : small === 0 ? 'pay' : 'payAgain' };
  },
};

export const voucher: TestResource = {
  faultTrack,
  tables: ['voucher_holder', 'voucher'],
  workload: [
    issue('NEW', 500),
    issue('NEW', 300),
    redeem('NEW', 500),
    redeem(first.code, 400),
    redeem(first.code, 200),
  ].map((request) => ({ pool: 'vouchers', request })),
  crashCases: [
    { request: redeem(first.code, 400), otherRequest: redeem(first.code, 200), outcome: 'ok' },
    { request: issue('NEW', 500), otherRequest: issue('NEW', 300), outcome: 'ok' },
    { request: redeem(first.code, 600), otherRequest: redeem(first.code, 400), outcome: 'tooLittleLeft' },
  ],
  refusals: ['unknownVoucher', 'tooLittleLeft'],
  statements: [addVoucher.name, changeAmount.name],
  async seed(transaction, context) {
    const { code, holder, amount } = first;
    const parts = { context, integrity: new RowIntegrity() };
    await saveVoucher(transaction, { tenant: company, shop, code, holder, amount }, parts);
  },
  seedModel: (model) => void model.state(createAmounts).set(first.code, first.amount),
  effectsOf({ statement, parameters, result }) {
    if (statement === addVoucher) return result === '0' ? [] : [`add ${lineOf(parameters[1], parameters[4])}`];
    return statement === changeAmount ? [`change ${lineOf(parameters[1], parameters[2])}`] : [];
  },
  eventTextOf: ({ voucherOf, requestReference }) =>
    voucherOf === undefined ? undefined : eventText('issued', requestReference, voucherOf, requestReference),
  storedLines: (database) =>
    database
      .rows('select fingerprint, amount from voucher')
      .map(({ fingerprint, amount }) => lineOf(fingerprint, amount))
      .toSorted(),
  modelLines: (model) =>
    [...model.state(createAmounts)].map(([code, amount]) => lineOf(fingerprintOf(code), amount)).toSorted(),
};
