/** Reads multipart/related bodies (RFC 2387), as MTOM and SOAP with attachments send them, if they have one part. */
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import type * as Library from 'multipasta';
import { Problem } from '../contract/problem.ts';
import { malformedBody } from './malformed-body.ts';
import { unsupportedMedia } from './unsupported-media.ts';

export const multipartType = 'multipart/related';

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
  let isComplete = false;
  // Loaded for the first of these bodies, which few callers send.
  library ??= createRequire(import.meta.url)('multipasta') as typeof Library;
  const parser = library.make({
    headers: { 'content-type': contentType },
    isFile: () => false,
    maxFieldSize: Number.POSITIVE_INFINITY,
    onFile: () => () => {},
    onField(info, bytes) {
      if (found !== undefined) throw unreadableParts('several parts');
      requireXml(info);
      found = { contentType: typeOf(info), body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
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
  if (found === undefined || !isComplete) throw malformedBody('malformed multipart');
  return found;
}

function requireXml({ contentType, headers }: Library.PartInfo): void {
  if (!xmlTypes.has(contentType)) throw unreadableParts('part is not XML');
  const { 'content-transfer-encoding': encoding = 'binary' } = headers;
  if (typeof encoding !== 'string' || !/^(7bit|8bit|binary)$/i.test(encoding))
    throw unreadableParts('transfer encoding');
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
