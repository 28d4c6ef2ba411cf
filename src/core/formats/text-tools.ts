/** What tools ask of the text of a message: its parts, for masking, and lines for reading. */
import type { Buffer } from 'node:buffer';
import type { Charset } from '../lib/index.ts';

/** A name or a value in the text of a message, as sent, or a remark that is neither. What is between two parts is markup. */
export interface TextPart {
  readonly kind: 'name' | 'value' | 'remark';
  /** In UTF-16 units from 0. */
  readonly start: number;
  /** After the last character. */
  readonly end: number;
  /** What it means. */
  readonly decoded: string;
  /** Writes another text in its place. */
  quote(text: string): string;
  /** A value that the format prescribes, and no contract describes. */
  readonly isTechnical?: boolean;
}

export interface TextTools {
  /** The text that is parsed of a body, or its notation in a binary format; undefined where it has none. */
  decode(body: Buffer, charset: Charset | undefined): string | undefined;
  /** The body that a text stands for; by default the text in UTF-8. */
  encode?(text: string): Buffer;
  /** In their order; undefined for a text that is malformed. */
  parts(text: string): readonly TextPart[] | undefined;
  /** Breaks the text into lines, without a change of what it says. */
  indent(text: string): string;
  /** Whether a text may be of this format, or was pasted from another one. */
  resembles(text: string): boolean;
  /** The body of a message that was read from a file. By default as it is. */
  ofFile?(body: Buffer): Buffer;
  /** What a message says of itself. */
  clues?(body: Buffer, charset: Charset | undefined): MessageClues | undefined;
  /** How programs write a body; by default as a text, and not at all where it is empty. */
  source?(body: string): SourceBody | undefined;
}

/** What a message says of itself, as far as it does. */
export interface MessageClues {
  readonly service?: string;
  readonly operation?: string;
  /** The URI of the element of the operation. */
  readonly namespace?: string;
  readonly side?: 'request' | 'answer' | 'error';
}

/** The body of a call: a JSON value, the pairs of a form, or a text such as a SOAP envelope. */
export type SourceBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly pairs: Readonly<Record<string, string>> }
  | { readonly kind: 'text'; readonly text: string };
