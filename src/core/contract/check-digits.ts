/** Check digits of card numbers and of bank accounts. */

/** Checks the last digit of a card number (Luhn, ISO/IEC 7812-1). */
export function isLuhnValid(digits: string): boolean {
  return luhnSum(digits) % 10 === 0;
}

/** Appends the digit that makes a card number Luhn valid. */
export function appendLuhnDigit(digits: string): string {
  return `${digits}${(10 - (luhnSum(`${digits}0`) % 10)) % 10}`;
}

/** The remainder that ISO 7064 MOD 97-10 and IBANs are checked by; letters count from ten. */
export function modulo97(text: string): number {
  let remainder = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}

/** Checks the two check digits of an IBAN (ISO 13616): with its first four characters at the end, the whole is 1 modulo 97. */
export function isIbanValid(text: string): boolean {
  return /^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(text) && modulo97(text.slice(4) + text.slice(0, 4)) === 1;
}

function luhnSum(digits: string): number {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48;
    const weighted = place % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum;
}
