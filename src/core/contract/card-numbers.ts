/** Finds card numbers in texts: 13 to 19 digits that begin as those of an issuer and pass the Luhn check. */
import { isLuhnValid } from './check-digits.ts';
import type { TextDetector } from './text-detector.ts';

const lengthMin = 13;
const lengthMax = 19;

/** A number behind so many others is no real one. A text of single digits has a candidate at each of them. */
const candidatesMax = 100;

export const cardNumberDetector: TextDetector = Object.freeze<TextDetector>({
  lengthMin,
  detects: (text) => hasRun(text) && numbersIn(text).length > 0,
  mask(text) {
    if (!hasRun(text)) return text;
    const masked = text.split('');
    for (const { places } of numbersIn(text)) for (const place of places.slice(0, -4)) masked[place] = '*';
    return masked.join('');
  },
});

interface Found {
  /** The places of its digits. */
  readonly places: readonly number[];
}

/** Whether the text has enough digits with nothing between them but single blanks or dashes. */
function hasRun(text: string): boolean {
  let digits = 0;
  let isDigitBefore = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      if (++digits === lengthMin) return true;
      isDigitBefore = true;
    } else {
      if (!isDigitBefore || !isSeparator(code)) digits = 0;
      isDigitBefore = false;
    }
  }
  return false;
}

/**
 * A number begins and ends where a group of digits does: a part of a longer group is none. Nor are several groups that touch a
 * letter: some groups of a UUID have digits only.
 */
function numbersIn(text: string): readonly Found[] {
  const found: Found[] = [];
  let candidates = 0;
  let digits = '';
  let places: number[] = [];
  let starts: number[] = [];
  let isInGroup = false;
  for (let at = 0; at <= text.length && candidates < candidatesMax; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0;
    if (isDigit(code)) {
      if (!isInGroup) starts.push(places.length);
      isInGroup = true;
      digits += text[at];
      places.push(at);
      continue;
    }
    for (let each = starts.length - 1; isInGroup && each >= 0; each--) {
      const start = starts[each]!;
      const length = places.length - start;
      if (length > lengthMax) break;
      if (length < lengthMin) continue;
      candidates += 1;
      const number = places.slice(start);
      if (isCardNumber(digits.slice(start)) && !isPartOfName(text, number)) found.push({ places: number });
    }
    if (!isInGroup || !isSeparator(code)) [digits, places, starts] = ['', [], []];
    isInGroup = false;
  }
  return found;
}

function isPartOfName(text: string, places: readonly number[]): boolean {
  const [first, last] = [places[0]!, places.at(-1)!];
  if (last - first === places.length - 1) return false;
  return /[a-z]/i.test(`${text[first - 1] ?? ''}${text[last + 1] ?? ''}`);
}

/** The prefixes that issuers of cards have (ISO/IEC 7812). */
const issuers = /^(?:30[0-5]|3[4678]|39|352[89]|35[3-8]|4|5|6|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/;

function isCardNumber(digits: string): boolean {
  return issuers.test(digits) && isLuhnValid(digits);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isSeparator(code: number): boolean {
  return code === 32 || code === 45;
}
