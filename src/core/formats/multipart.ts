/** Reads and writes bodies in parts: multipart/related (RFC 2387), as MTOM and SOAP with Attachments send it, and forms (RFC 7578). */
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import type * as Library from 'multipasta';
import { mayHoldNumber, Problem } from '../contract/index.ts';
import { charsetOf } from '../lib/index.ts';
import { hasToken, mayHaveToken, spooledValue } from '../spool/index.ts';
import { decodeText } from './body-text.ts';
import { encode, contentType as formContentType } from './form/print.ts';
import { malformedBody } from './malformed-body.ts';
import { type Attachment, type Attachments, absoluteUrl } from './related.ts';
import { unsupportedMedia } from './unsupported-media.ts';

export const multipartType = 'multipart/related';
export const formDataType = 'multipart/form-data';

/** The root part of MTOM. */
const xopType = 'application/xop+xml';
const xmlTypes: ReadonlySet<string> = new Set(['text/xml', 'application/xml', 'application/soap+xml', xopType]);

/** A body without what is around it. */
interface Part {
  /** Media type and charset of the envelope. */
  readonly contentType: string;
  readonly body: Buffer;
}

/** An envelope with the parts beside it. */
interface Related extends Part {
  readonly attachments: Attachments;
}

/** Parts of one body, the envelope included. */
const partsMax = 100;

let library: typeof Library | undefined;

/**
 * The envelope of a body and the parts beside it. `contentType` is the header of the message. The envelope is the part that `start`
 * names, or else the first one. Throws a Problem where that is no XML, for two parts of one name, and for more parts than `countMax`.
 */
export function readRelated(body: Buffer, contentType: string, countMax = partsMax): Related {
  const start = parameterIn(contentType, 'start');
  const parts: { info: Library.PartInfo; contentId: string; bytes: Buffer }[] = [];
  const add = (info: Library.PartInfo, bytes: Buffer) => parts.push({ info, contentId: contentIdOf(info), bytes });
  readParts(body, contentType, countMax, add);
  const named = start === undefined ? undefined : parts.find(({ contentId }) => contentId === withoutBrackets(start));
  // Some senders write another name than that of their only XML part.
  const root = named ?? parts[0];
  if (root === undefined) throw malformedBody('malformed multipart');
  requireXml(root.info);
  const base = absoluteUrl(locationOf(root.info));
  const ids = new Set<string>();
  const others = parts.filter((each) => each !== root);
  for (const { contentId } of [root, ...others])
    if (contentId !== '' && ids.size === ids.add(contentId).size)
      throw malformedBody('Content-ID stands twice', printableId(contentId));
  const decoded = others.map(
    ({ info, contentId, bytes }): Attachment => ({
      contentId,
      location: absoluteUrl(locationOf(info), base),
      ...decodePart(info, bytes),
    }),
  );
  return {
    contentType: typeOf(root.info),
    body: root.bytes,
    attachments: {
      isXop: root.info.contentType === xopType,
      parts: decoded,
      base,
      bodyLength: body.length + decoded.reduce((sum, { spooled }) => sum + (spooled?.length ?? 0), 0),
    },
  };
}

/**
 * The fields of a form in parts, as any other form has them, so that they are read in one way. Throws a Problem for files, encoded parts,
 * and parts that are no text.
 */
export function formOfParts(body: Buffer, contentType: string): Part {
  const pairs: string[] = [];
  readParts(body, contentType, Number.POSITIVE_INFINITY, (info, bytes) => {
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

/** The names of the parts of a form, and their bytes as Latin-1. Throws as `formOfParts`, but for files, and for more than 100 parts. */
export function fieldsOfParts(body: Buffer, contentType: string): readonly (readonly [name: string, bytes: string])[] {
  const found: [string, string][] = [];
  readParts(body, contentType, partsMax, (info, bytes) => {
    if (info.contentDisposition !== 'form-data') throw unreadableFields('part is no field');
    found.push([info.name, bytes.toString('latin1')]);
  });
  return found;
}

/** Throws a Problem for a body that is not in parts up to its end, and for more than `maxParts`. */
function readParts(
  body: Buffer,
  contentType: string,
  maxParts: number,
  onPart: (info: Library.PartInfo, bytes: Buffer) => void,
): void {
  let isComplete = false;
  // The library knows no boundaries with such characters as `=` outside of quotes, which senders write.
  const boundary = parameterIn(contentType, 'boundary');
  if (boundary === undefined || boundary === '') throw malformedBody('malformed multipart');
  // Loaded for the first of these bodies, which few callers send.
  library ??= createRequire(import.meta.url)('multipasta') as typeof Library;
  const parser = library.make({
    headers: { 'content-type': `multipart/related; boundary="${boundary}"` },
    isFile: () => false,
    maxFieldSize: Number.POSITIVE_INFINITY,
    maxParts,
    onFile: () => () => {},
    onField(info, bytes) {
      onPart(info, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      // Others stop reading at the end.
      if (isComplete) throw malformedBody('parts behind the end');
    },
    onError(error) {
      throw malformedBody(error._tag === 'ReachedLimit' ? 'too many parts' : 'malformed multipart');
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

function encodingOf({ headers: { 'content-transfer-encoding': encoding = 'binary' } }: Library.PartInfo): string {
  return typeof encoding === 'string' ? encoding.trim().toLowerCase() : '';
}

function isPlain(info: Library.PartInfo): boolean {
  return ['7bit', '8bit', 'binary'].includes(encodingOf(info));
}

/** Throws a Problem for an encoding that no sender of SOAP uses. */
function decodePart(info: Library.PartInfo, bytes: Buffer): Pick<Attachment, 'bytes' | 'spooled'> {
  const encoding = encodingOf(info);
  const spooled = bytes.length > tokenBytesMax ? undefined : spooledValue(bytes.toString('latin1').trim());
  if (spooled !== undefined && spooled.isDecoded === (encoding === 'base64')) return { bytes: emptyBytes, spooled };
  // A token stands for the whole part.
  if (mayHaveToken(bytes) && hasToken(bytes.toString('latin1'))) throw malformedBody('malformed multipart');
  if (isPlain(info)) return { bytes };
  if (encoding === 'base64') return { bytes: Buffer.from(bytes.toString('latin1'), 'base64') };
  if (encoding === 'quoted-printable') return { bytes: decodeQuoted(bytes.toString('latin1')) };
  throw unreadableParts('transfer encoding');
}

/** Of a token with blanks around it. */
const tokenBytesMax = 128;
const emptyBytes = Buffer.alloc(0);

/** RFC 2045, section 6.7. A run of blanks is tried at its first one only: else a long run would take its square. */
function decodeQuoted(text: string): Buffer {
  const joined = text.replace(/(?<![\t ])[\t ]+(?=\r?\n|$)/g, '').replace(/=\r?\n/g, '');
  return Buffer.from(
    joined.replace(/=([\dA-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
}

function contentIdOf({ headers: { 'content-id': id = '' } }: Library.PartInfo): string {
  if (typeof id !== 'string') throw malformedBody('two Content-IDs');
  return withoutBrackets(id);
}

function locationOf({ headers: { 'content-location': location = '' } }: Library.PartInfo): string {
  if (typeof location !== 'string') throw malformedBody('two Content-Locations');
  return location;
}

/** Returns a Content-ID without its angle brackets. */
export function withoutBrackets(id: string): string {
  return id.trim().replace(/^<(.*)>$/, '$1');
}

/** A parameter of a header, with or without quotes; undefined where it is not there once. */
export function parameterIn(contentType: string, name: string): string | undefined {
  const found = [...contentType.matchAll(/;\s*([\w-]+)=(?:"([^"\\]*)"|([^\s;"]+))/g)].filter(
    ([, each]) => each!.toLowerCase() === name,
  );
  const [, , quoted, plain] = found[0] ?? [];
  return found.length === 1 ? (quoted ?? plain) : undefined;
}

/** A Content-ID as messages show it: no control characters, and no text that could be a card number. */
export function printableId(id: string): string {
  return /^[\w.+=@%:-]{1,128}$/.test(id) && !mayHoldNumber(id) ? id : '?';
}

/** The parameter `type` of XOP is the media type of the envelope. */
function typeOf({ contentType, contentTypeParameters: { charset, type = 'text/xml' } }: Library.PartInfo): string {
  const root = type.split(';')[0]!.trim().toLowerCase();
  const declared = contentType !== xopType ? contentType : xmlTypes.has(root) ? root : 'text/xml';
  return charset === undefined ? declared : `${declared}; charset=${charset}`;
}

function unreadableParts(reason: string): Problem {
  return unsupportedMedia('multipart/related with', ['a first part that is XML and not encoded'], { reason });
}

function unreadableFields(reason: string): Problem {
  return unsupportedMedia(`${formDataType} with`, ['fields alone, which are text and not encoded'], { reason });
}
