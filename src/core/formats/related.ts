/** Messages with parts beside their envelope, in multipart/related (RFC 2387): XOP packages and SOAP with Attachments. */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { SpooledValue } from '../spool/index.ts';

/** The parts beside an envelope that was received. */
export interface Attachments {
  /** The envelope is the root of an XOP package: its sender speaks MTOM. */
  readonly isXop: boolean;
  readonly parts: readonly Attachment[];
  /** The URL to which those in the envelope are relative: its Content-Location. */
  readonly base: string;
  /** Length of the whole body in bytes, with those in a file. */
  readonly bodyLength: number;
}

export interface Attachment {
  /** Without angle brackets; empty where the part has none. */
  readonly contentId: string;
  /** Its Content-Location as an absolute URL; empty where the part has none. It is a name only, and nothing is read from it. */
  readonly location: string;
  readonly bytes: Buffer;
  /** Where the bytes are in a file. */
  readonly spooled?: SpooledValue;
}

/** Returns the length of an attachment in bytes. */
export function lengthOf({ bytes, spooled }: Attachment): number {
  return spooled?.length ?? bytes.length;
}

/** Bytes that stand beside the envelope. */
export interface SentPart {
  readonly contentId: string;
  readonly mediaType: string;
  /** Or a token. */
  readonly base64: string;
}

/** What is sent with an envelope. */
export interface Attached {
  readonly boundary: string;
  /** Content-Type of the envelope. */
  readonly rootType: string;
  readonly parts: readonly SentPart[];
}

interface PackageOptions {
  /** Content-Type of an envelope without parts. */
  readonly contentType: string;
  /** The envelope refers to its parts by `xop:Include`. */
  readonly isXop: boolean;
  /** In the content type of SOAP 1.2; empty for none. */
  readonly action: string;
}

/** Where no part has an absolute Content-Location, references are relative to this one (RFC 2557, section 5). */
const noBase = 'thismessage:/';

/** Returns an absolute URL without its fragment, by which references and parts are compared; empty for none. */
export function absoluteUrl(reference: string, base: string = noBase): string {
  const written = reference.trim();
  const parsed = written === '' ? null : URL.parse(written, base === '' ? noBase : base);
  return parsed === null ? '' : parsed.href.replace(/#.*$/s, '');
}

const rootId = 'envelope@triglyph';

/** The content type of a package, and what is to be sent with its envelope. */
export function packageOf(
  parts: readonly SentPart[],
  { contentType, isXop, action }: PackageOptions,
): { readonly contentType: string; readonly attached: Attached } {
  const boundary = `part-${randomUUID()}`;
  const [mediaType] = contentType.split(';', 1);
  const actionOfRoot = action === '' ? '' : `; action=\\"${action}\\"`;
  const actionOfPackage = action === '' ? '' : `; action="${action}"`;
  const type = isXop ? `type="application/xop+xml"; start-info="${mediaType}"` : `type="${mediaType}"`;
  const rootType = isXop ? `application/xop+xml; charset=UTF-8; type="${mediaType}${actionOfRoot}"` : contentType;
  return {
    contentType: `multipart/related; ${type}; start="<${rootId}>"; boundary="${boundary}"${isXop ? actionOfPackage : ''}`,
    attached: { boundary, rootType, parts },
  };
}

/** The bytes of a package. */
export function packed(envelope: string, attached: Attached): Buffer {
  const pieces = piecesOf(envelope, attached);
  // Written in one place: a copy of each part would double what a large one costs.
  const bytes = Buffer.allocUnsafe(
    pieces.reduce((sum, [text, encoding]) => sum + Buffer.byteLength(text, encoding), 0),
  );
  let end = 0;
  for (const [text, encoding] of pieces) end += bytes.write(text, end, encoding);
  return bytes;
}

type PieceOfPackage = readonly [text: string, encoding: 'utf8' | 'base64'];

/** The texts of a package, with the encoding of each. */
export function piecesOf(envelope: string, { boundary, rootType, parts }: Attached): readonly PieceOfPackage[] {
  const partStart = (contentType: string, contentId: string) =>
    `--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <${contentId}>\r\n\r\n`;
  return [
    [partStart(rootType, rootId) + envelope, 'utf8'],
    ...parts.flatMap(
      ({ mediaType, contentId, base64 }) =>
        [
          [`\r\n${partStart(mediaType, contentId)}`, 'utf8'],
          [base64, 'base64'],
        ] as const,
    ),
    [`\r\n--${boundary}--\r\n`, 'utf8'],
  ];
}
