/** The check digits that countries have in their own account numbers, inside the IBAN. */

/** True where the basic bank account number (BBAN) has the check digits that its country asks for. */
export type NationalCheck = (bban: string) => boolean;

const at = (text: string, place: number): number => text.charCodeAt(place) - 48;

/** Sum of digits times weights, the first digit with the first weight. */
const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, place) => sum + weight * at(digits, place), 0);

/** Letters count from ten. */
export const modulo97 = (text: string): number => {
  let remainder = 0;
  for (const sign of text) {
    const value = Number.parseInt(sign, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
};

/** ISO 7064 MOD 97-10 over the whole: PT, SI, RS, ME, MK end in its two digits, from 02 to 98. */
const modulo97of10: NationalCheck = (bban) => {
  const ending = bban.length - 2;
  return Number(bban.slice(ending)) === 98 - modulo97(`${bban.slice(0, ending)}00`);
};

/** BE: the first ten digits modulo 97, and 97 instead of nought. */
const belgian: NationalCheck = (bban) => Number(bban.slice(10)) === (modulo97(bban.slice(0, 10)) || 97);

/** A and J are 1, B, K and S are 2, and so on to I, R and Z, which are 9. */
const ribDigit = (letter: string): string => {
  const place = letter.charCodeAt(0) - 65;
  return String(place < 18 ? (place % 9) + 1 : place - 16);
};

/** FR and MC: the RIB key, from 01 to 97, makes the whole a multiple of 97. */
const rib: NationalCheck = (bban) => {
  const digits = bban.replace(/[A-Z]/g, ribDigit);
  return Number(digits.slice(21)) === 97 - modulo97(`${digits.slice(0, 21)}00`);
};

/** What a digit, or the letter with its place in the alphabet, counts in an odd place. */
const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** IT and SM: the CIN, a letter that stands before all that it checks. */
const cin: NationalCheck = (bban) => {
  let sum = 0;
  for (let place = 1; place < bban.length; place++) {
    const sign = Number.parseInt(bban.charAt(place), 36);
    const value = sign > 9 ? sign - 10 : sign;
    sum += place % 2 === 1 ? (oddValues[value] ?? 0) : value;
  }
  return bban.charCodeAt(0) === 65 + (sum % 26);
};

/** 11 less the remainder; 11 stands as 0 and 10 as 1. */
const spanishDigit = (digits: string): number => {
  const digit = 11 - (weighted(digits, [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11);
  return digit === 11 ? 0 : digit === 10 ? 1 : digit;
};

/** ES: one digit for bank and branch, one for the account. */
const spanish: NationalCheck = (bban) =>
  at(bban, 8) === spanishDigit(`00${bban.slice(0, 8)}`) && at(bban, 9) === spanishDigit(bban.slice(10));

/** NO: modulo 11; ten of eleven account numbers have a check digit. */
const norwegian: NationalCheck = (bban) => weighted(bban, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0;

/** FI: Luhn over the whole. */
const finnish: NationalCheck = (bban) => {
  const doubled = (digit: number): number => (digit > 4 ? digit * 2 - 9 : digit * 2);
  return (
    [...bban].reduce((sum, _, place) => sum + (place % 2 === 0 ? doubled(at(bban, place)) : at(bban, place)), 0) %
      10 ===
    0
  );
};

/** EE: 7-3-1 from the right, over what follows the bank. */
const estonian: NationalCheck = (bban) =>
  weighted(bban.slice(2), [7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0;

/** HU: 9-7-3-1, for bank and branch by themselves and for the account by itself. */
const hungarian: NationalCheck = (bban) => {
  const weights = [9, 7, 3, 1];
  const sums = (digits: string) =>
    [...digits].reduce((sum, _, place) => sum + at(digits, place) * (weights[place % 4] ?? 0), 0);
  return sums(bban.slice(0, 8)) % 10 === 0 && sums(bban.slice(8)) % 10 === 0;
};

/** PL: the last of the eight digits of bank and branch. */
const polish: NationalCheck = (bban) => weighted(bban, [3, 9, 7, 1, 3, 9, 7, 1]) % 10 === 0;

/** AL: the last of the eight digits of bank and branch. */
const albanian: NationalCheck = (bban) => weighted(bban, [9, 7, 3, 1, 9, 7, 3, 1]) % 10 === 0;

/** CZ and SK: modulo 11, for the six digits before the account and for the ten of it. */
const czech: NationalCheck = (bban) =>
  weighted(bban.slice(4), [10, 5, 8, 4, 2, 1]) % 11 === 0 &&
  weighted(bban.slice(10), [6, 3, 7, 9, 10, 5, 8, 4, 2, 1]) % 11 === 0;

/** ISO 7064 MOD 11,10. */
const modulo11of10 = (digits: string): boolean => {
  let product = 10;
  for (let place = 0; place < digits.length - 1; place++)
    product = (((product + at(digits, place)) % 10 || 10) * 2) % 11;
  return (product + at(digits, digits.length - 1)) % 10 === 1;
};

/** HR: one digit for the bank, one for the account. */
const croatian: NationalCheck = (bban) => modulo11of10(bban.slice(0, 7)) && modulo11of10(bban.slice(7));

/** IS: the ninth digit of the holder's identity number, which ends the account number. */
const icelandic: NationalCheck = (bban) => weighted(bban.slice(12), [3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0;

const checks: Readonly<Record<string, NationalCheck>> = {
  AL: albanian,
  BE: belgian,
  CZ: czech,
  EE: estonian,
  ES: spanish,
  FI: finnish,
  FR: rib,
  HR: croatian,
  HU: hungarian,
  IS: icelandic,
  IT: cin,
  MC: rib,
  ME: modulo97of10,
  MK: modulo97of10,
  NO: norwegian,
  PL: polish,
  PT: modulo97of10,
  RS: modulo97of10,
  SI: modulo97of10,
  SK: czech,
  SM: cin,
};

/** By country. The others have none, or each bank has one of its own (DE, DK, GB, SE), or gave it up (NL: the test by 11). */
export const nationalChecks: ReadonlyMap<string, NationalCheck> = new Map(Object.entries(checks));
