/** Reads the body of a message as it arrives, and lets its large values go to a temporary file. Tokens stand for them in what remains. */

import { Buffer } from 'node:buffer';
import {
  base64Length,
  type Fields,
  isJsonType,
  longestValues,
  type ObjectSchema,
  type Operation,
} from '../contract/index.ts';
import { mediaTypeIn } from '../lib/index.ts';
import type { SpoolFile, SpoolWriter } from '../spool/index.ts';
import { Base64Runs, type TextSyntax } from './base64-runs.ts';
import { formDataType, multipartType, parameterIn, withoutBrackets } from './multipart.ts';
import { holdsBinary } from './rest/upstream-binding.ts';
import type { OwnBytes, Spooling } from './wire.ts';

/** Returns which values of messages go to a file; undefined where none is long enough. */
export function spoolingOf(messages: readonly ObjectSchema[], valueBytesMin: number | undefined): Spooling | undefined {
  const { bytesMax, textMax } = longestValues(messages);
  if (valueBytesMin === undefined || bytesMax < valueBytesMin) return undefined;
  return { valueBytesMin, charactersMin: Math.max(base64Length(valueBytesMin), textMax + 1) };
}

/** Returns which values of messages at the path that an operation has at its upstream go to a file; undefined where none does. */
export function spoolingAtOwnPath<S extends Spooling>(
  spooling: S | undefined,
  { input, output, upstream }: Operation,
  side: 'input' | 'output',
): S | undefined {
  const own = side === 'input' ? ownBytesOf(upstream?.body, input.fields) : ownBytesOf(upstream?.answer, output.fields);
  return spooling && own && { ...spooling, own };
}

/** Without a type it is JSON. */
function ownBytesOf(
  { type = 'application/json', field = '' }: { readonly type?: string; readonly field?: string } = {},
  fields: Fields,
): OwnBytes | undefined {
  if (isJsonType(type)) return { kind: 'json' };
  if (type === formDataType) {
    const files = Object.entries(fields).filter(([, { schema }]) => holdsBinary(schema));
    return { kind: 'parts', names: new Set(files.map(([name, { json = name }]) => json)) };
  }
  return fields[field]?.schema.kind === 'binary' ? { kind: 'whole' } : undefined;
}

/** Reads one body. Both functions throw `SpoolFull`. */
export interface BodyReader {
  /** What remains in memory, in bytes. */
  readonly heldBytes: number;
  /** Returns a promise where bytes are to be written first. */
  write(piece: Buffer): Promise<void> | undefined;
  /** Returns the body with tokens in the place of values. */
  end(): Promise<Buffer>;
}

/** What splits a body into what remains and what goes to the file. */
interface Splitter {
  /** Bytes of which is not known yet where they go. */
  readonly heldBytes: number;
  write(bytes: Buffer): void;
  end(): void;
}

interface SplitOptions extends Spooling {
  readonly file: SpoolFile;
  pass(bytes: Buffer): void;
}

/** A slice of fewer bytes would keep the whole piece of the network in memory. */
const copiedBytesMax = 8_192;

/** Returns the reader of a body with this Content-Type. */
export function readBodyTo(file: SpoolFile, contentType: string, spooling: Spooling): BodyReader {
  const passed: Buffer[] = [];
  let passedBytes = 0;
  const pass = (bytes: Buffer): void => {
    passed.push(bytes.length <= copiedBytesMax ? Buffer.from(bytes) : bytes);
    passedBytes += bytes.length;
  };
  let splitter: Splitter | undefined;
  return {
    get heldBytes() {
      return passedBytes + (splitter?.heldBytes ?? 0);
    },
    write(piece) {
      splitter ??= splitterOf(contentType, piece, { ...spooling, file, pass });
      splitter.write(piece);
      return file.flush();
    },
    async end() {
      splitter?.end();
      await file.finish();
      return passed.length === 1 ? passed[0]! : Buffer.concat(passed);
    },
  };
}

function splitterOf(contentType: string, start: Buffer, options: SplitOptions): Splitter {
  const type = mediaTypeIn(contentType);
  const boundary = parameterIn(contentType, 'boundary');
  if (options.own !== undefined) return ownSplitterOf(options.own, type, boundary, options);
  if (type === multipartType && boundary !== undefined)
    return new Parts(boundary, partOfPackage(parameterIn(contentType, 'start'), options), options);
  return new Base64Runs(syntaxOf(start), options);
}

/** A body of another type than the operation has stays in memory. */
function ownSplitterOf(own: OwnBytes, type: string, boundary: string | undefined, options: SplitOptions): Splitter {
  switch (own.kind) {
    case 'json':
      return type === '' || isJsonType(type) ? new Base64Runs('exactJson', options) : unsplit(options);
    case 'whole':
      return new LongPart(options);
    case 'parts':
      return type === formDataType && boundary !== undefined
        ? new Parts(boundary, partOfForm(own.names, options), options)
        : unsplit(options);
    default:
      return own satisfies never;
  }
}

/** By its first character, as formats are distinguished: curl declares a form for every body. */
function syntaxOf(start: Buffer): TextSyntax {
  const [, sign = ''] = /^(?:\xef\xbb\xbf)?[\t\n\r ]*(.)/.exec(start.toString('latin1', 0, 200)) ?? [];
  if (sign === '<') return 'xml';
  return sign === '{' || sign === '[' ? 'json' : 'form';
}

/** A longer head is refused when the message is read. */
const headBytesMax = 16_384;

/** Returns what splits a part with this head; undefined for a part that stays as it is. */
type SplitterOfPart = (head: string, isFirst: boolean) => Splitter | undefined;

/** The first part is the envelope, unless another one is named. Where none has the name it is the envelope, too, and stays in memory. */
function partOfPackage(start: string | undefined, options: SplitOptions): SplitterOfPart {
  const name = start === undefined ? undefined : withoutBrackets(start);
  return (head, isFirst) => {
    const contentId = withoutBrackets(/^content-id:(.*)$/im.exec(head)?.[1] ?? '');
    const isNamed = name !== undefined && contentId === name;
    if (isNamed || (isFirst && name === undefined)) return new Base64Runs('xml', options);
    if (isFirst) return undefined;
    if (isPlain(head)) return new LongPart(options);
    return encodingIn(head) === 'base64' ? new Base64Runs('mime', options) : undefined;
  };
}

function partOfForm(names: ReadonlySet<string>, options: SplitOptions): SplitterOfPart {
  return (head) => {
    const [, quoted, plain] = /^content-disposition:.*;\s*name=(?:"([^"]*)"|([^\s;]+))/im.exec(head) ?? [];
    return names.has(quoted ?? plain ?? '') && isPlain(head) ? new LongPart(options) : undefined;
  };
}

function encodingIn(head: string): string {
  const [, encoding = 'binary'] = /^content-transfer-encoding:(.*)$/im.exec(head) ?? [];
  return encoding.trim().toLowerCase();
}

function isPlain(head: string): boolean {
  return ['7bit', '8bit', 'binary'].includes(encodingIn(head));
}

/** Splits a body in parts: the long values of some go to the file. */
class Parts implements Splitter {
  readonly #options: SplitOptions;
  readonly #delimiter: Buffer;
  readonly #splitterOf: SplitterOfPart;
  #state: 'content' | 'head' | 'end' = 'content';
  /** What has arrived and may be the start of a delimiter or of a head. The first delimiter needs no line before it. */
  #rest: Buffer = Buffer.from('\r\n');
  #invented = 2;
  #isFirst = true;
  /** Of the part at hand; absent before the first one, and for parts that stay as they are. */
  #content: Splitter | undefined;

  constructor(boundary: string, splitterOf: SplitterOfPart, options: SplitOptions) {
    this.#options = options;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#splitterOf = splitterOf;
  }

  get heldBytes(): number {
    return this.#rest.length + (this.#content?.heldBytes ?? 0);
  }

  write(bytes: Buffer): void {
    let data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#rest = noBytes;
    for (;;) {
      const found = this.#state === 'head' ? this.#readHead(data) : this.#readContent(data);
      if (found === undefined) return;
      data = data.subarray(found);
    }
  }

  end(): void {
    if (this.#state === 'content') this.#add(this.#rest);
    this.#content?.end();
    if (this.#state === 'head') this.#pass(this.#rest);
    this.#rest = noBytes;
  }

  /** Returns how many bytes were read; undefined where there are no more. */
  #readContent(data: Buffer): number | undefined {
    if (this.#state === 'end') {
      this.#pass(data);
      return undefined;
    }
    const at = data.indexOf(this.#delimiter);
    if (at < 0) {
      const sure = Math.max(0, data.length - this.#delimiter.length + 1);
      this.#add(data.subarray(0, sure));
      this.#rest = data.subarray(sure);
      return undefined;
    }
    this.#add(data.subarray(0, at));
    this.#content?.end();
    this.#content = undefined;
    const end = at + this.#delimiter.length;
    this.#pass(data.subarray(at, end));
    this.#state = 'head';
    return end;
  }

  #readHead(data: Buffer): number | undefined {
    const at = data.indexOf('\r\n\r\n');
    const isLast = data.length >= 2 && data.toString('latin1', 0, 2) === '--';
    if (isLast || (at < 0 && data.length > headBytesMax)) {
      this.#state = 'end';
      return 0;
    }
    if (at < 0) {
      this.#rest = data;
      return undefined;
    }
    const end = at + 4;
    this.#pass(data.subarray(0, end));
    this.#content = this.#splitterOf(data.toString('latin1', 0, end), this.#isFirst);
    this.#isFirst = false;
    this.#state = 'content';
    return end;
  }

  #add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#content === undefined) this.#pass(bytes);
    else this.#content.write(bytes);
  }

  #pass(bytes: Buffer): void {
    const invented = Math.min(this.#invented, bytes.length);
    this.#invented -= invented;
    if (bytes.length > invented) this.#options.pass(bytes.subarray(invented));
  }
}

const noBytes = Buffer.alloc(0);

/** Leaves all bytes in memory. */
function unsplit({ pass }: SplitOptions): Splitter {
  return { heldBytes: 0, write: pass, end() {} };
}

/** The bytes of a part as they are. */
class LongPart implements Splitter {
  readonly #options: SplitOptions;
  #held: Buffer[] = [];
  #writer: SpoolWriter | undefined;
  heldBytes = 0;

  constructor(options: SplitOptions) {
    this.#options = options;
  }

  write(bytes: Buffer): void {
    if (this.#writer !== undefined) {
      this.#writer.write(bytes);
      return;
    }
    this.#held.push(bytes);
    this.heldBytes += bytes.length;
    if (this.heldBytes < this.#options.valueBytesMin) return;
    this.#writer = this.#options.file.begin(false);
    this.#options.pass(Buffer.from(this.#writer.token));
    for (const each of this.#held) this.#writer.write(each);
    this.#held = [];
    this.heldBytes = 0;
  }

  end(): void {
    for (const each of this.#held) this.#options.pass(each);
    this.#writer?.finish();
  }
}
