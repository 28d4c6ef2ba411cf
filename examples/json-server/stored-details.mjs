/** What the JSON server does: its operations over details in memory, and what they refuse. */
import { createHash } from 'node:crypto';

const anna = 'Anna van Dijk';
const demoDetails = [
  {
    card: { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: anna },
    recurring: { contract: 'ONECLICK,RECURRING' },
  },
  {
    card: { number: '5555444433331111', expiryMonth: '10', expiryYear: '2031', holderName: anna },
    recurring: { contract: 'RECURRING' },
  },
  {
    bank: { iban: 'NL13TEST0123456789', countryCode: 'NL', ownerName: anna },
    recurring: { contract: 'PAYOUT' },
  },
].map((detail) => ({
  merchantAccount: 'DemoMerchant',
  shopperReference: 'shopper-1',
  shopperEmail: 'shopper-1@example.com',
  ...detail,
}));

/** What an issuer says of a card. */
const demoIssuers = {
  4000009900000020: { result: 'CardExpiryChanged', years: 4 },
  4000009900000038: { result: 'PANChanged', number: '4000009900000012', years: 4 },
  4000009900000046: { result: 'CloseAccount' },
  4000009900000053: { result: 'ContactCardAccountHolder' },
  4000009900000061: { result: 'Success' },
  4000009900000079: { result: 'Error' },
};

const brands = [
  ['amex', /^3[47]/],
  ['diners', /^3(0[0-5]|6|8|9)/],
  ['jcb', /^35(2[89]|[3-8])/],
  ['visa', /^4/],
  ['mc', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ['discover', /^6(011|4[4-9]|5)/],
  ['cup', /^62/],
  ['maestro', /^(5[06-9]|6)/],
];
const uses = ['ONECLICK', 'RECURRING', 'PAYOUT'];

export class Refusal extends Error {
  constructor(status, errorCode, message, { errorType = 'validation', field } = {}) {
    super(message);
    this.status = status;
    this.body = {
      status,
      errorCode,
      message,
      errorType,
      ...(field && { invalidFields: [{ name: `/${field.replaceAll('.', '/')}`, message }] }),
    };
  }
}

function check(holds, errorCode, message, field) {
  if (!holds) throw new Refusal(422, errorCode, message, { field });
}

/** Returns the operations by their names. `issuers`: what they say of a card, by its number. */
export function createOperations({ details: initial = demoDetails, issuers = {}, now, reference }) {
  const shoppers = new Map();
  const outcomes = { ...demoIssuers, ...issuers };

  const operations = {
    listRecurringDetails({ merchantAccount, shopperReference, recurring }) {
      requireShopper(shopperReference);
      const wanted = usesOf(recurring?.contract, '802', 'Invalid contract', 'recurring.contract');
      const shopper = shoppers.get(`${merchantAccount} ${shopperReference}`);
      if (shopper === undefined) return {};
      const details = shopper.details.filter(({ shown }) => wanted.every((use) => shown.contractTypes.includes(use)));
      return {
        creationDate: shopper.creationDate,
        details: details.length > 0 ? details.map(({ shown }) => ({ RecurringDetail: shown })) : undefined,
        lastKnownShopperEmail: shopper.email,
        shopperReference,
      };
    },

    storeToken(input, pspReference) {
      const detail = store(input, pspReference);
      const { recurringDetailReference, alias, aliasType } = detail.shown;
      const rechargeReference = pspReference;
      return { alias, aliasType, pspReference, rechargeReference, recurringDetailReference, result: 'Success' };
    },

    disable({ merchantAccount, shopperReference, recurringDetailReference, contract }) {
      requireShopper(shopperReference);
      check(recurringDetailReference !== '', '803', 'PaymentDetail not found', 'recurringDetailReference');
      const removed = usesOf(contract, '802', 'Invalid contract', 'contract');
      const shopper = shoppers.get(`${merchantAccount} ${shopperReference}`);
      check(shopper?.details.length > 0, '800', 'Contract not found');
      const named = shopper.details.filter(
        ({ shown }) => (recurringDetailReference ?? shown.recurringDetailReference) === shown.recurringDetailReference,
      );
      check(named.length > 0, '803', 'PaymentDetail not found');
      const isMeant = (use) => removed.length === 0 || removed.includes(use);
      const meant = named.filter(({ shown }) => shown.contractTypes.some(isMeant));
      check(meant.length > 0, '800', 'Contract not found');
      for (const { shown } of meant) shown.contractTypes = shown.contractTypes.filter((use) => !isMeant(use));
      shopper.details = shopper.details.filter(({ shown }) => shown.contractTypes.length > 0);
      const what = recurringDetailReference === undefined ? 'all-details' : 'detail';
      return { response: `[${what}-successfully-disabled]` };
    },

    tokenLookup(input, pspReference) {
      const identity = identityOf(input);
      const tokens = [...shoppers]
        .filter(([name]) => name.startsWith(`${input.merchantAccount} `))
        .flatMap(([name, { email, details }]) => {
          const held = details.find((detail) => detail.identity === identity);
          const shopperReference = name.slice(input.merchantAccount.length + 1);
          const { creationDate } = held?.shown ?? {};
          return held ? [{ TokenDetail: { creationDate, lastKnownShopperEmail: email, shopperReference } }] : [];
        });
      return { pspReference, tokens: tokens.length > 0 ? tokens.slice(0, 100) : undefined };
    },

    scheduleAccountUpdater(input, pspReference) {
      const { merchantAccount, card, shopperReference, selectedRecurringDetailReference: selected } = input;
      check(input.reference, '130', 'Reference Missing', 'reference');
      check(
        card || (shopperReference && selected),
        '927',
        'Missing card or shopperReference & selectedRecurringDetailReference',
      );
      if (card) requireCard(card, false);
      const held = [...shoppers]
        .filter(([name]) => name.startsWith(`${merchantAccount} ${shopperReference ?? ''}`))
        .flatMap(([, shopper]) => shopper.details.map((detail) => ({ shopper, detail })))
        .filter(({ detail }) => card === undefined || detail.number === card.number)
        .filter(({ detail }) => selected === undefined || detail.shown.recurringDetailReference === selected)
        .filter(({ detail }) => detail.number !== undefined);
      if (selected !== undefined && held.length === 0) return { pspReference, result: 'Error' };
      const outcome = outcomes[card?.number ?? held[0].detail.number] ?? { result: 'NoChange' };
      for (const { shopper, detail } of held) applyOutcome(outcome, shopper, detail);
      return { pspReference, result: outcome.result };
    },

    notifyShopper(input, pspReference) {
      const { merchantAccount, shopperReference, amount, billingDate, reference: ownReference } = input;
      requireShopper(shopperReference);
      check(amount, '158', 'Required field amount not specified', 'amount');
      check(ownReference, '130', 'Reference Missing', 'reference');
      const day = new Date(`${billingDate ?? '2030-01-01'}T00:00:00Z`);
      const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(billingDate ?? '');
      const dateText = 'Inner validation error(s) occurred: billingDate should be in yyyy-MM-dd format';
      check(isDay, '000', dateText, 'billingDate');
      const named = [input.recurringDetailReference, input.storedPaymentMethodId].filter((each) => each !== undefined);
      const shopper = shoppers.get(`${merchantAccount} ${shopperReference}`);
      const found = shopper?.details.find(({ shown }) =>
        named.every((each) => each === shown.recurringDetailReference),
      );
      check(named.length > 0 && found, '803', 'This token not found');
      return {
        displayedReference: input.displayedReference ?? ownReference,
        message: 'Request Processed Successfully',
        pspReference,
        reference: ownReference,
        resultCode: 'Success',
        shopperNotificationReference: reference('notification'),
        storedPaymentMethodId: found.shown.recurringDetailReference,
      };
    },
  };

  /** A card or account that the shopper has already keeps its reference. */
  function store(input, pspReference) {
    const { merchantAccount, shopperReference, recurring, card, bank, elv } = input;
    requireShopper(shopperReference);
    const contractTypes = usesOf(recurring?.contract, '125', 'Invalid recurring contract specified', 'recurring');
    check(contractTypes.length > 0, '125', 'Invalid recurring contract specified', 'recurring');
    const identity = identityOf(input);
    if (card) requireCard(card, true, now());
    const accountVariant = elv ? 'elv' : bank && (bank.iban ? 'sepadirectdebit' : `directdebit_${bank.countryCode}`);
    const variant = brandOf(card?.number) ?? input.selectedBrand ?? accountVariant;
    check(variant, '102', 'Unable to determine variant');
    const name = `${merchantAccount} ${shopperReference}`;
    const creationDate = input.creationDate ?? new Date(now()).toISOString();
    const shopper = shoppers.get(name) ?? { creationDate, details: [] };
    const same = shopper.details.find((detail) => detail.identity === identity);
    check(same || shopper.details.length < 100, '801', 'Too many PaymentDetails defined');
    const { additionalData, billingAddress, shopperName, socialSecurityNumber } = input;
    const { number, cvc: _, ...rest } = card ?? {};
    const shown = {
      additionalData,
      ...(card && { alias: aliasOf(number), aliasType: 'Default' }),
      bank,
      billingAddress,
      ...(card && { card: { ...rest, expiryMonth: String(Number(card.expiryMonth)), number: number.slice(-4) } }),
      contractTypes: uses.filter((use) => contractTypes.includes(use) || same?.shown.contractTypes.includes(use)),
      creationDate: same?.shown.creationDate ?? creationDate,
      elv,
      firstPspReference: same?.shown.firstPspReference ?? pspReference,
      name: input.name ?? recurring.recurringDetailName,
      paymentMethodVariant: variant,
      recurringDetailReference:
        same?.shown.recurringDetailReference ?? input.recurringDetailReference ?? reference('detail'),
      shopperName,
      socialSecurityNumber,
      variant,
    };
    const detail = { identity, number, shown };
    shopper.details = same
      ? shopper.details.map((each) => (each === same ? detail : each))
      : [...shopper.details, detail];
    shopper.email = input.shopperEmail ?? shopper.email;
    shoppers.set(name, shopper);
    return detail;
  }

  for (const detail of initial) store(detail, detail.firstPspReference ?? reference('request'));
  return operations;
}

function requireShopper(shopperReference) {
  check(shopperReference, '121', "Required field 'shopperReference' is not provided.", 'shopperReference');
}

/** None where nothing is given. */
function usesOf(contract, errorCode, message, field) {
  if (contract === undefined) return [];
  const given = contract.split(',').map((use) => use.trim());
  check(
    given.every((use) => uses.includes(use)),
    errorCode,
    message,
    field,
  );
  return given;
}

function requireCard({ number = '', expiryMonth, expiryYear, holderName, cvc }, isStored, at) {
  check(/^\d{12,19}$/.test(number) && luhn(number), '101', 'Invalid card number', 'card.number');
  check(holderName, '128', "Required field 'card.holderName' is not provided.", 'card.holderName');
  check(/^20\d\d$/.test(expiryYear), '129', 'Expiry Date Invalid', 'card.expiryYear');
  check(/^(0?[1-9]|1[0-2])$/.test(expiryMonth), '129', 'Expiry Date Invalid', 'card.expiryMonth');
  const isOver = isStored && Date.UTC(Number(expiryYear), Number(expiryMonth), 1) <= at;
  check(!isOver, '129', 'Expiry Date Invalid', 'card.expiryMonth');
  const lengths = isStored ? [brandOf(number) === 'amex' ? 4 : 3] : [3, 4];
  check(cvc === undefined || lengths.includes(cvc.length), '103', 'CVC is not the right length', 'card.cvc');
}

function identityOf({ card, bank, elv }) {
  check([card, bank, elv].filter(Boolean).length === 1, '927', 'Missing payment details');
  if (card) return `card ${card.number}`;
  if (elv) return `elv ${elv.bankLocationId} ${elv.bankAccountNumber}`;
  check(bank.iban || bank.bankAccountNumber, '110', 'BankDetails missing', 'bank');
  return `bank ${bank.iban ?? `${bank.countryCode} ${bank.bankLocationId} ${bank.bankAccountNumber}`}`;
}

function applyOutcome({ result, number, years = 0, ...expiry }, shopper, detail) {
  const { card } = detail.shown;
  if (result === 'CloseAccount') shopper.details = shopper.details.filter((each) => each !== detail);
  if (result !== 'CardExpiryChanged' && result !== 'PANChanged') return;
  detail.number = number ?? detail.number;
  detail.identity = `card ${detail.number}`;
  detail.shown.alias = aliasOf(detail.number);
  detail.shown.card = {
    ...card,
    expiryYear: String(Number(card.expiryYear) + years),
    ...expiry,
    number: detail.number.slice(-4),
  };
}

function brandOf(number) {
  return number && brands.find(([, range]) => range.test(number))?.[0];
}

function aliasOf(number) {
  const digits = BigInt(`0x${createHash('sha256').update(number).digest('hex')}`).toString();
  return `H${digits.slice(0, 15)}`;
}

function luhn(number) {
  const digits = [...number].reverse().map((digit, at) => Number(digit) * (at % 2 === 1 ? 2 : 1));
  return digits.reduce((sum, digit) => sum + digit - (digit > 9 ? 9 : 0), 0) % 10 === 0;
}
