/** The text of a masked message, up to a limit, and how texts and names are masked in it. */
import { printableName } from '../../../contract/member-names.ts';
import { isShown, type Place } from './place.ts';

/** Stands for what is not shown. */
export const masked = '<masked>';

/** Returns a text with the secrets in it masked. */
export type MaskText = (text: string) => string;

/** A message as it is kept. */
export interface MaskedText {
  readonly text: string;
  /** The message is longer. */
  readonly isCut: boolean;
}

/** A number that begins before the limit may end behind it. */
const beyondLimit = 64;

export class MaskedOutput {
  readonly #maskText: MaskText;
  readonly #lengthMax: number;
  #text = '';

  constructor(maskText: MaskText, lengthMax: number) {
    this.#maskText = maskText;
    this.#lengthMax = lengthMax;
  }

  get isFull(): boolean {
    return this.#text.length > this.#lengthMax;
  }

  /** Adds what is no text of the caller, or has been masked. */
  add(text: string): void {
    this.#text += text;
  }

  /** Adds a value as it was sent, or its replacement. `decoded`: what it means. */
  addValue(place: Place, sent: string, decoded: string | undefined, quote: (text: string) => string): void {
    this.add(this.#valueOf(place, sent, decoded, quote));
  }

  /** Adds the name of a member: any that the contract has, and others that look like names. */
  addName(place: Place, sent: string, decoded: string, quote: (text: string) => string): void {
    this.add(place !== undefined || printableName(decoded) === decoded ? sent : quote(masked));
  }

  result(): MaskedText {
    const isCut = this.isFull;
    return { text: isCut ? this.#text.slice(0, this.#lengthMax) : this.#text, isCut };
  }

  #valueOf(place: Place, sent: string, decoded: string | undefined, quote: (text: string) => string): string {
    if (decoded === undefined || !isShown(place)) return quote(masked);
    const room = this.#lengthMax - this.#text.length + beyondLimit;
    const isLong = decoded.length > room;
    const begin = isLong ? decoded.slice(0, room) : decoded;
    const text = this.#maskText(begin);
    if (text !== begin) return quote(text);
    return isLong ? sent.slice(0, room) : sent;
  }
}
