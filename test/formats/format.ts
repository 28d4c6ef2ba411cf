/** What tests state about one wire format. Nothing here calls the code under test, except for the derived documents. */
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import type { Message } from '../../src/core/formats/wire.ts';
import type { SingleByteCharset } from '../../src/core/lib/charset.ts';
import type { Side } from '../../src/documents/json-schema.ts';
import type { Loose } from '../support/lenient.ts';

export interface TestFormat {
  /** As clients declare it. */
  readonly contentType: string;
  /** Of an answer, and of a refusal where that has another. */
  readonly answerType: string;
  readonly refusalType?: string;
  /** The HTTP status of a refusal whose problem has status 422. Another one is that of all problems of callers, except 401. */
  readonly status422: number;
  /** The precision of a dateTime in milliseconds, for services whose conventions leave out fractions. */
  readonly precisionMs: number;
  /** Where clients send requests. */
  readonly path: (service: Service, operation: Operation) => string;
  /** Prints a body that may be invalid. */
  readonly print: (service: Service, operation: Operation, tree: Loose) => string;
  /** Writes a text as a part of a printed body, in a charset. */
  readonly encodeText: (charset: SingleByteCharset, text: string) => Buffer;
  /** `{type} {code} {message}` of the problem in a refusal; undefined where there is none. */
  readonly problemText: (body: string) => string | undefined;
  /** Finds the values of the members `number` and `cvc` of a body that the format encoded. */
  readonly cardValues: RegExp;
  /** What the text of a value means. */
  readonly meaning: (text: string) => string;
  /** Spells each name and value of a message that the format encoded. */
  readonly spell: Spell;
  readonly charsets: { readonly hasByteOrderMark: boolean; readonly isUtf16: boolean };
  /** Adds an Idempotency-Key to a body that the format encoded; absent where only a header carries the key. */
  readonly withKey?: (body: string, key: string) => string;
  /** What a refusal says. */
  readonly readRefusal: (refusal: Message) => ShownRefusal;
  /** Returns the first of the bodies that the documents do not allow, and why. */
  readonly findInvalid: (service: Service, operation: Operation, side: Side, bodies: readonly string[]) => Invalid;
  /** The most expensive bodies of 64 KiB, named after what they repeat. */
  readonly largestBodies: (service: Service, operation: Operation) => Readonly<Record<string, string>>;
}

/** `text`: type, code and message. `messages`: of all invalid fields; formats with one text show them where there are several. */
export interface ShownRefusal {
  readonly text: string;
  readonly messages: readonly string[];
}

/** Writes a text in another way that means the same. `turn`: chooses among the ways. */
export type Spell = (text: string, turn: () => number) => string;

/** Undefined where every body is valid. */
export type Invalid = string | undefined;
