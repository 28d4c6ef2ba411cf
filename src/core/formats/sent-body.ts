/** What is sent of a message whose large values are in a file: they are read while it is sent. */
import { Buffer } from 'node:buffer';
import { base64Length } from '../contract/index.ts';
import { hasToken, mayHaveToken, type SpooledValue, splitAtTokens } from '../spool/index.ts';
import { encode, mediaType as formMediaType } from './form/print.ts';
import { piecesOf } from './related.ts';
import type { Message } from './wire.ts';

/** How a value is written: as it is, in base64, or in base64 with percent-encoding. */
type Notation = 'bytes' | 'base64' | 'form';

interface LargePiece {
  readonly value: SpooledValue;
  readonly as: Notation;
}

type Piece = Buffer | LargePiece;

/** A body that is written piece by piece, as often as it is needed. */
export class StreamedBody {
  readonly #pieces: readonly Piece[];
  /** In bytes; undefined where it is not known before. */
  readonly length: number | undefined;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
    const lengths = pieces.map(lengthOf);
    this.length = lengths.reduce((sum, each) => (sum === undefined || each === undefined ? undefined : sum + each), 0);
  }

  /** Throws where a value cannot be read. */
  async *read(): AsyncGenerator<Buffer, void, undefined> {
    for (const piece of this.#pieces)
      if (!('as' in piece)) yield piece;
      else for await (const bytes of piece.value.read()) yield written(bytes, piece.as);
  }
}

/** Returns the body of a message with values in a file; undefined for any other message. */
export function streamedBody(message: Omit<Message, 'status' | 'headers'>): StreamedBody | undefined {
  const { contentType, body, bytes, isPassedOn, attached } = message;
  if (bytes !== undefined) return streamedBytes(bytes, isPassedOn === true);
  const inText: Notation = contentType.startsWith(formMediaType) ? 'form' : 'base64';
  const texts = attached === undefined ? [[body, 'utf8'] as const] : piecesOf(body, attached);
  if (!texts.some(([text]) => hasToken(text))) return undefined;
  const pieces = texts.flatMap(([text, encoding]): readonly Piece[] => {
    const as = encoding === 'base64' ? 'bytes' : inText;
    const split = splitAtTokens(text) ?? [text];
    return split.map((each) => (typeof each === 'string' ? Buffer.from(each, encoding) : { value: each, as }));
  });
  return new StreamedBody(pieces);
}

function streamedBytes(bytes: Buffer, isPassedOn: boolean): StreamedBody | undefined {
  const split = mayHaveToken(bytes) ? splitAtTokens(bytes.toString('latin1')) : undefined;
  const pieces = split?.map((each): Piece => {
    if (typeof each === 'string') return Buffer.from(each, 'latin1');
    return { value: each, as: isPassedOn && each.isDecoded ? 'base64' : 'bytes' };
  });
  return pieces && new StreamedBody(pieces);
}

function lengthOf(piece: Piece): number | undefined {
  if (!('as' in piece)) return piece.length;
  switch (piece.as) {
    case 'bytes':
      return piece.value.length;
    case 'base64':
      return base64Length(piece.value.length);
    case 'form':
      return undefined;
    default:
      return piece.as satisfies never;
  }
}

/** `bytes`: a multiple of three, but for the last ones. */
function written(bytes: Buffer, as: Notation): Buffer {
  if (as === 'bytes') return bytes;
  const base64 = bytes.toString('base64');
  return Buffer.from(as === 'form' ? encode(base64) : base64, 'latin1');
}
