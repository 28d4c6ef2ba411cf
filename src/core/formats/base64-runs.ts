/** Takes long runs of base64 out of a text while it arrives. Everything else of it stays as it is. */
import { Buffer } from 'node:buffer';
import type { SpoolFile, SpoolWriter } from '../spool/index.ts';

/** How a text writes characters of base64. `mime`: they stand for themselves. `exactJson`: nothing between them is left out. */
export type TextSyntax = 'json' | 'exactJson' | 'xml' | 'form' | 'mime';

interface RunTarget {
  readonly file: SpoolFile;
  /** Shorter runs stay in the text. */
  readonly charactersMin: number;
  /** Adds to the text that remains. */
  pass(bytes: Buffer): void;
}

const padding = 64;
/** Between the characters of a value it means nothing. */
const skipped = 65;
const other = 66;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function codesOf(blanks: string): Uint8Array {
  const codes = new Uint8Array(256).fill(other);
  for (const [code, sign] of [...alphabet].entries()) codes[sign.charCodeAt(0)] = code;
  codes['='.charCodeAt(0)] = padding;
  for (const blank of blanks) codes[blank.charCodeAt(0)] = skipped;
  return codes;
}

const all = codesOf('\t\n\r ');
/** Line breaks, which MIME encoders add: blanks are none of a value here. */
const withoutBlanks = codesOf('\n\r');

/** Characters as they stand. A plus sign of a form is a blank, and a string of JSON has no line breaks. */
const plainCodes: Readonly<Record<TextSyntax, Uint8Array>> = {
  json: codesOf(''),
  exactJson: codesOf(''),
  xml: all,
  mime: all,
  form: codesOf('').map((code, at) => (at === '+'.charCodeAt(0) ? other : code)),
};

/** An escaped character, and the bytes that it takes; 0 where more bytes must be seen. */
type Escaped = { readonly code: number; readonly length: number };

const incomplete: Escaped = Object.freeze({ code: other, length: 0 });

interface Escapes {
  readonly sign: number;
  read(text: Buffer, at: number): Escaped;
}

const escapes: Readonly<Record<TextSyntax, Escapes | undefined>> = {
  json: { sign: '\\'.charCodeAt(0), read: readJsonEscape },
  exactJson: {
    sign: '\\'.charCodeAt(0),
    read(text, at) {
      const escaped = readJsonEscape(text, at);
      return escaped.code === skipped ? { ...escaped, code: other } : escaped;
    },
  },
  xml: { sign: '&'.charCodeAt(0), read: readReference },
  form: { sign: '%'.charCodeAt(0), read: readPercent },
  mime: undefined,
};

/** Splits one text. */
export class Base64Runs {
  readonly #target: RunTarget;
  readonly #codes: Uint8Array;
  readonly #escapes: Escapes | undefined;
  /** The start of an escaped character, whose rest has not arrived. */
  #rest: Buffer | undefined;
  /** Of the run that has not ended: its bytes as they were, until it is long enough, and its characters. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #heldCharacters: Buffer[] = [];
  #count = 0;
  #padding = 0;
  #writer: SpoolWriter | undefined;
  /** Characters that are no whole group of four yet. */
  #group = '';

  constructor(syntax: TextSyntax, target: RunTarget) {
    this.#target = target;
    this.#codes = plainCodes[syntax];
    this.#escapes = escapes[syntax];
  }

  /** Bytes of a run that is not long enough yet. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Throws `SpoolFull`. */
  write(bytes: Buffer): void {
    const codes = this.#codes;
    const piece = this.#rest === undefined ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#rest = undefined;
    /** The characters of the run in this piece. */
    const characters = Buffer.allocUnsafe(piece.length);
    let length = 0;
    /** Where the bytes begin that are neither passed on nor of a run in the file, and where the run begins. */
    let from = 0;
    let runAt = 0;
    let end = piece.length;
    const beginAt = (at: number): void => {
      if (this.#padding > 0) finishAt(at);
      if (this.#count === 0) runAt = at;
    };
    const finishAt = (at: number): void => {
      if (this.#writer !== undefined) from = at;
      this.#finish(characters.subarray(0, length));
      length = 0;
    };
    for (let at = 0; at < end; ) {
      let next = at;
      while (next < end && codes[piece[next]!]! < padding) next += 1;
      if (next > at) {
        beginAt(at);
        piece.copy(characters, length, at, next);
        length += next - at;
        this.#count += next - at;
        at = next;
      } else {
        const escaped = this.#read(piece, at);
        if (escaped.length === 0) {
          this.#rest = Buffer.from(piece.subarray(at));
          end = at;
          break;
        }
        const { code } = escaped;
        const isPadding = code === padding && this.#count > 0 && this.#padding < 2;
        if (code < padding) beginAt(at);
        if (code < padding || isPadding) {
          characters[length] = signOf(code);
          length += 1;
          this.#count += 1;
          this.#padding += isPadding ? 1 : 0;
        } else if (code !== skipped && this.#count > 0) finishAt(at);
        at += escaped.length;
      }
      if (this.#writer === undefined && this.#count >= this.#target.charactersMin) {
        this.#pass(piece.subarray(from, runAt));
        this.#begin();
      }
    }
    const found = characters.subarray(0, length);
    if (this.#writer !== undefined) this.#decode(found);
    else if (this.#count > 0) {
      this.#pass(piece.subarray(from, runAt));
      this.#held.push(piece.subarray(runAt, end));
      this.#heldBytes += end - runAt;
      this.#heldCharacters.push(found);
    } else this.#pass(piece.subarray(from, end));
  }

  /** The text has ended. */
  end(): void {
    this.#finish(Buffer.alloc(0));
    if (this.#rest !== undefined) this.#target.pass(this.#rest);
    this.#rest = undefined;
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.#target.pass(bytes);
  }

  #read(piece: Buffer, at: number): Escaped {
    const byte = piece[at]!;
    if (byte === this.#escapes?.sign) return this.#escapes.read(piece, at);
    return { code: this.#codes[byte]!, length: 1 };
  }

  /** The run is long enough. */
  #begin(): void {
    this.#writer = this.#target.file.begin(true);
    this.#pass(Buffer.from(this.#writer.token));
    for (const characters of this.#heldCharacters) this.#decode(characters);
    this.#forgetHeld();
  }

  /** Base64 that is not in its normal form stays in the text, behind the token: no value has both. */
  #decode(characters: Buffer): void {
    const text = this.#group + characters.toString('latin1');
    let whole = text.length - (text.length % 4);
    const last = text.slice(Math.max(0, whole - 4), whole);
    if (last.endsWith('=') && Buffer.from(last, 'base64').toString('base64') !== last) whole -= 4;
    this.#writer?.write(Buffer.from(text.slice(0, whole), 'base64'));
    this.#group = text.slice(whole);
  }

  #forgetHeld(): void {
    this.#held = [];
    this.#heldBytes = 0;
    this.#heldCharacters = [];
  }

  #finish(characters: Buffer): void {
    if (this.#writer !== undefined) {
      this.#decode(characters);
      this.#writer.finish();
      this.#pass(Buffer.from(this.#group));
    }
    for (const bytes of this.#held) this.#target.pass(bytes);
    this.#forgetHeld();
    this.#writer = undefined;
    this.#group = '';
    this.#count = 0;
    this.#padding = 0;
  }
}

function signOf(code: number): number {
  return code === padding ? '='.charCodeAt(0) : alphabet.charCodeAt(code);
}

function ofCharacter(code: number, codes: Uint8Array): number {
  return Number.isInteger(code) && code < 128 ? codes[code]! : other;
}

/** Programs escape slashes, and some of them plus signs. */
function readJsonEscape(text: Buffer, at: number): Escaped {
  const sign = text[at + 1];
  if (sign === undefined) return incomplete;
  switch (String.fromCharCode(sign)) {
    case '/':
      return { code: ofCharacter(sign, withoutBlanks), length: 2 };
    case 'n':
    case 'r':
      return { code: skipped, length: 2 };
    case 'u':
      if (at + 6 > text.length) return incomplete;
      return { code: ofCharacter(hexIn(text, at + 2, at + 6), withoutBlanks), length: 6 };
    default:
      return { code: other, length: 2 };
  }
}

function readPercent(text: Buffer, at: number): Escaped {
  if (at + 3 > text.length) return incomplete;
  return { code: ofCharacter(hexIn(text, at + 1, at + 3), withoutBlanks), length: 3 };
}

const referenceLengthMax = 10;

/** A reference to a character: `&#13;`. Others are no part of base64. */
function readReference(text: Buffer, at: number): Escaped {
  const written = text.toString('latin1', at, at + referenceLengthMax);
  const [found, hex, digits] = /^&#(x?)([\da-f]{1,6});/i.exec(written) ?? [];
  if (found !== undefined && digits !== undefined)
    return { code: ofCharacter(Number.parseInt(digits, hex === '' ? 10 : 16), all), length: found.length };
  return written.length < referenceLengthMax && !written.includes(';') ? incomplete : { code: other, length: 1 };
}

function hexIn(text: Buffer, start: number, end: number): number {
  const digits = text.toString('latin1', start, end);
  return /^[\da-f]+$/i.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
}
