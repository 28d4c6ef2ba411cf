/** States what each client must print, and compares what it has printed. */

/** The lines `name=value` that a client prints. */
export type Seen = ReadonlyMap<string, string>;

interface Expectation {
  readonly aspect: Aspect;
  readonly name: string;
  readonly matches: (value: string, seen: Seen, shopper: string) => boolean;
  readonly expected: string;
}

export const aspects = ['calls', 'text', 'nil', 'dates', 'maps', 'key', 'faults', '401'] as const;
export type Aspect = (typeof aspects)[number];

export interface Mismatch {
  readonly aspect: Aspect;
  readonly text: string;
}

export function readSeen(stdout: string): Seen {
  const lines = stdout.split(/\r?\n/).map((line) => /^([a-z][\w.]*)=(.*)$/.exec(line));
  return new Map(lines.flatMap((line) => (line === null ? [] : [[line[1]!, line[2]!]])));
}

/** Returns nothing where the client has seen all that it must. */
export function mismatches(seen: Seen, shopper: string, isVersion1 = false): readonly Mismatch[] {
  const own = isVersion1 ? expectationsOfVersion1 : expectationsOfOthers;
  return [...expectations, ...own].flatMap(({ aspect, name, matches, expected }) => {
    const value = seen.get(name);
    if (value !== undefined && matches(value, seen, shopper)) return [];
    return [{ aspect, text: `${name} is ${value === undefined ? 'missing' : `"${value}"`}, expected ${expected}` }];
  });
}

const is = (aspect: Aspect, name: string, expected: string): Expectation => ({
  aspect,
  name,
  matches: (value) => value === expected,
  expected,
});

const like = (aspect: Aspect, name: string, pattern: RegExp): Expectation => ({
  aspect,
  name,
  matches: (value) => pattern.test(value),
  expected: String(pattern),
});

const sameAs = (aspect: Aspect, name: string, other: string): Expectation => ({
  aspect,
  name,
  matches: (value, seen) => value === seen.get(other),
  expected: `the value of ${other}`,
});

const today = (name: string): Expectation => ({
  aspect: 'dates',
  name,
  // A run may cross midnight.
  matches: (value) => Math.abs(Date.parse(value) - Date.now()) < 2 * 86_400_000,
  expected: 'the day of the run, in UTC',
});

/** Stacks put words of their own before the text, never behind it. */
const fault = (name: string, text: string): Expectation => ({
  aspect: 'faults',
  name: `fault.${name}`,
  matches: (value) => value.endsWith(text),
  expected: text,
});

const reference = /^[A-Z0-9]{16}$/;

/** Of every version. */
const expectations: readonly Expectation[] = [
  is('calls', 'store.result', 'Success'),
  like('calls', 'store.reference', reference),
  { aspect: 'calls', name: 'list.shopper', matches: (value, _, shopper) => value === shopper, expected: 'the shopper' },
  is('calls', 'list.email', 'stack@example.com'),
  today('list.date'),
  is('calls', 'list.count', '1'),
  sameAs('calls', 'detail.reference', 'store.reference'),
  is('text', 'detail.holder', 'Zoë <&> Ω'),
  is('calls', 'detail.number', '1111'),
  is('calls', 'detail.variant', 'visa'),
  today('detail.date'),
  is('nil', 'detail.bank', 'nil'),
  is('nil', 'detail.elv', 'nil'),
  is('nil', 'detail.cvc', 'nil'),
  // The demo's bank account of shopper-1.
  is('calls', 'bank.iban', 'NL13TEST0123456789'),
  is('nil', 'bank.card', 'nil'),
  is('calls', 'unknown.count', '0'),
  is('nil', 'unknown.email', 'nil'),
  is('nil', 'unknown.date', 'nil'),
  is('calls', 'disable.response', '[detail-successfully-disabled]'),
  fault('contract', 'validation 800 Contract not found'),
  fault('merchant', 'security 901 Invalid Merchant Account'),
  fault('field', 'validation 129 Expiry Date Invalid'),
  // Where stacks read no body, their own text has the status.
  like('401', 'fault.credentials', /401|Unauthorized/),
];

const expectationsOfVersion1: readonly Expectation[] = [
  like('calls', 'store.rechargeReference', reference),
  sameAs('key', 'again.rechargeReference', 'store.rechargeReference'),
  // Months have two digits in its document.
  is('calls', 'detail.expiry', '08/2031'),
  is('calls', 'deactivate.response', '[all-details-successfully-disabled]'),
  like('calls', 'deactivate.pspReference', reference),
  fault('payment', 'validation 000 No payment service is connected'),
];

const expectationsOfOthers: readonly Expectation[] = [
  like('calls', 'store.pspReference', reference),
  sameAs('key', 'again.pspReference', 'store.pspReference'),
  is('calls', 'detail.expiry', '8/2031'),
  is('calls', 'detail.contracts', 'ONECLICK,RECURRING'),
  is('maps', 'detail.map.a.b', 'ä & ö'),
  is('calls', 'lookup.shopper', 'shopper-1'),
  // No issuer has announced a change of the card.
  is('calls', 'update.result', 'NoChange'),
  like('calls', 'update.pspReference', reference),
];
