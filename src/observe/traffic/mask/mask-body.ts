/** Masks the body of a message, by the format that has read it. */
import { Buffer } from 'node:buffer';
import { decodeText } from '../../../formats/body-text.ts';
import { charsetOf } from '../../../lib/charset.ts';
import { maskForm } from './mask-form.ts';
import { maskJson } from './mask-json.ts';
import { maskShape } from './mask-shape.ts';
import { maskXml } from './mask-xml.ts';
import { MaskedOutput, type MaskedText, type MaskText } from './masked-output.ts';
import type { Place } from './place.ts';

export interface BodyMasking {
  /** The format that has read the body; undefined where none could. */
  readonly format: string | undefined;
  readonly place: Place;
  readonly maskText: MaskText;
  /** Words that are shown of a body that no format could read. */
  readonly words: ReadonlySet<string>;
  readonly lengthMax: number;
}

/** A body that is not text, or not the text of its format alone, is masked as one that could not be read. */
export function maskBody(text: string, { format, place, maskText, words, lengthMax }: BodyMasking): MaskedText {
  const begin = text.trimStart();
  switch (format) {
    case 'soap11':
    case 'soap12':
      return begin.startsWith('<') ? maskXml(text, place, maskText, lengthMax) : maskShape(text, words, lengthMax);
    case 'json':
    case 'rest':
      return maskJson(text, place, maskText, lengthMax);
    case 'form':
    case 'adapter':
      return maskForm(text, place, maskText, lengthMax);
    case 'text': {
      const output = new MaskedOutput(maskText, lengthMax);
      output.addValue({ kind: 'texts' }, text, text, (masked) => masked);
      return output.result();
    }
    default:
      return maskShape(text, words, lengthMax);
  }
}

/** The text of a body in the charset of its content type. Bytes that are no text in it are read as Latin-1. */
export function textOf(body: Buffer, contentType = ''): string {
  const label = /charset="?([\w-]+)/i.exec(contentType)?.[1];
  const charset = label === undefined ? undefined : charsetOf(label);
  if (charset === 'utf-16' || (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff))
    return utf16(body);
  const decoded = decodeText(body, charset);
  return 'text' in decoded ? decoded.text : body.toString('latin1');
}

function utf16(body: Buffer): string {
  const isBigEndian = body[0] === 0xfe && body[1] === 0xff;
  return isBigEndian && body.length % 2 === 0
    ? Buffer.from(body).swap16().toString('utf16le')
    : body.toString('utf16le');
}
