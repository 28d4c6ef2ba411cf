/** Reads bodies in parts: multipart/related (RFC 2387) of one part, as MTOM and SOAP with attachments send it, and forms (RFC 7578). */
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import type * as Library from 'multipasta';
import { Problem } from '../contract/problem.ts';
import { charsetOf } from '../lib/charset.ts';
import { decodeText } from './body-text.ts';
import { encode, contentType as formContentType } from './form/print.ts';
import { malformedBody } from './malformed-body.ts';
import { unsupportedMedia } from './unsupported-media.ts';

export const multipartType = 'multipart/related';
export const formDataType = 'multipart/form-data';

/** The root part of MTOM. */
const xopType = 'application/xop+xml';
const xmlTypes: ReadonlySet<string> = new Set(['text/xml', 'application/xml', 'application/soap+xml', xopType]);

export interface Part {
  /** Media type and charset of the envelope. */
  readonly contentType: string;
  readonly body: Buffer;
}

let library: typeof Library | undefined;

/** The only part of a body. `contentType` is the header of the request. Throws a Problem for anything but one XML part. */
export function onlyPart(body: Buffer, contentType: string): Part {
  let found: Part | undefined;
  readParts(body, contentType, (info, bytes) => {
    if (found !== undefined) throw unreadableParts('several parts');
    requireXml(info);
    found = { contentType: typeOf(info), body: bytes };
  });
  if (found === undefined) throw malformedBody('malformed multipart');
  return found;
}

/**
 * The fields of a form in parts, as any other form has them, so that they are read in one way. Throws a Problem for files, encoded parts,
 * and parts that are no text.
 */
export function formOfParts(body: Buffer, contentType: string): Part {
  const pairs: string[] = [];
  readParts(body, contentType, (info, bytes) => {
    const { charset: label } = info.contentTypeParameters;
    const charset = label === undefined ? 'utf-8' : charsetOf(label);
    if (info.contentDisposition !== 'form-data' || info.filename !== undefined || info.contentType !== 'text/plain')
      throw unreadableFields('part is no field');
    if (charset === undefined || !isPlain(info)) throw unreadableFields('encoded part');
    const decoded = decodeText(bytes, charset);
    if ('fault' in decoded) throw malformedBody(decoded.fault);
    pairs.push(`${encode(info.name)}=${encode(decoded.text)}`);
  });
  return { contentType: formContentType, body: Buffer.from(pairs.join('&')) };
}

/** Throws a Problem for a body that is not in parts up to its end. */
function readParts(body: Buffer, contentType: string, onPart: (info: Library.PartInfo, bytes: Buffer) => void): void {
  let isComplete = false;
  // Loaded for the first of these bodies, which few callers send.
  library ??= createRequire(import.meta.url)('multipasta') as typeof Library;
  const parser = library.make({
    headers: { 'content-type': contentType },
    isFile: () => false,
    maxFieldSize: Number.POSITIVE_INFINITY,
    onFile: () => () => {},
    onField(info, bytes) {
      onPart(info, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      // Others stop reading at the end.
      if (isComplete) throw malformedBody('parts behind the end');
    },
    onError() {
      throw malformedBody('malformed multipart');
    },
    onDone() {
      isComplete = true;
    },
  });
  try {
    parser.write(body);
    parser.end();
  } catch (thrown) {
    // The parser throws errors of its own for headers such as a filename with wrong percent-encoding.
    throw thrown instanceof Problem ? thrown : malformedBody('malformed multipart');
  }
  if (!isComplete) throw malformedBody('malformed multipart');
}

function requireXml(info: Library.PartInfo): void {
  if (!xmlTypes.has(info.contentType)) throw unreadableParts('part is not XML');
  if (!isPlain(info)) throw unreadableParts('transfer encoding');
}

function isPlain({ headers: { 'content-transfer-encoding': encoding = 'binary' } }: Library.PartInfo): boolean {
  return typeof encoding === 'string' && /^(7bit|8bit|binary)$/i.test(encoding);
}

/** The parameter `type` of XOP is the media type of the envelope. */
function typeOf({ contentType, contentTypeParameters: { charset, type = 'text/xml' } }: Library.PartInfo): string {
  const root = type.split(';')[0]!.trim().toLowerCase();
  const declared = contentType !== xopType ? contentType : xmlTypes.has(root) ? root : 'text/xml';
  return charset === undefined ? declared : `${declared}; charset=${charset}`;
}

function unreadableParts(reason: string): Problem {
  return unsupportedMedia('multipart/related with', ['one part, which is XML and not encoded'], { reason });
}

function unreadableFields(reason: string): Problem {
  return unsupportedMedia(`${formDataType} with`, ['fields alone, which are text and not encoded'], { reason });
}
