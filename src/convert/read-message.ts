/** Reads a message that is identified to its canonical value. */
import type { Buffer } from 'node:buffer';
import type { Issue } from '../contract/problem.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import { decodeText } from '../formats/body-text.ts';
import type { Protocols } from '../formats/index.ts';
import { malformedBody } from '../formats/malformed-body.ts';
import { type Decoded, OtherFormat } from '../formats/protocol.ts';
import { decodeXml } from '../xml/decode.ts';
import { ConversionError } from './conversion-error.ts';
import type { HttpMessage } from './http-message.ts';
import type { IdentifiedMessage } from './identify-message.ts';

export interface ReadMessage extends IdentifiedMessage {
  /** Of the value. */
  readonly schema: ObjectSchema;
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

/** Throws a Problem for a body that its format refuses. */
export function readMessage(message: IdentifiedMessage, http: HttpMessage, protocols: Protocols): ReadMessage {
  const { side, operation } = message;
  switch (side) {
    case 'request': {
      const { decoded, format } = decodeRequest(message, http, protocols);
      return { ...message, format, schema: operation.input, value: decoded.input, issues: decoded.issues };
    }
    case 'answer':
      return { ...message, schema: operation.output, ...decodeAnswer(message, protocols) };
    case 'error':
      throw new ConversionError('target', 'an error is not converted');
    default:
      return side satisfies never;
  }
}

function decodeRequest(
  { format, media, target, body }: IdentifiedMessage,
  { start, headers }: HttpMessage,
  protocols: Protocols,
): { readonly decoded: Decoded; readonly format: IdentifiedMessage['format'] } {
  const query = start?.kind === 'request' ? start.query : '';
  const bytes = format === 'form' || format === 'adapter' ? withoutLineEnd(body) : body;
  const decode = (name: IdentifiedMessage['format']) => ({
    decoded: protocols[name].decode(bytes, media, target, { query, headers }),
    format: name,
  });
  try {
    return decode(format);
  } catch (thrown) {
    if (!(thrown instanceof OtherFormat)) throw thrown;
    return decode(thrown.format);
  }
}

function decodeAnswer({ format, media, operation, body }: IdentifiedMessage, protocols: Protocols) {
  if (format === 'soap11' || format === 'soap12') {
    const text = decodeXml(body, media.charset);
    try {
      return { format, ...protocols[format].decodeResponse(operation, text) };
    } catch (thrown) {
      if (!(thrown instanceof OtherFormat)) throw thrown;
      return { format: thrown.format, ...protocols[thrown.format].decodeResponse(operation, text) };
    }
  }
  const decoded = decodeText(body, media.charset);
  if ('fault' in decoded) throw malformedBody(decoded.fault, decoded.where);
  const text = format === 'json' || format === 'rest' ? decoded.text : decoded.text.replace(/[\r\n]+$/, '');
  return { format, ...protocols[format].decodeResponse(operation, text) };
}

/** Files end with a line break, which a form has not. */
function withoutLineEnd(body: Buffer): Buffer {
  let end = body.length;
  while (end > 0 && (body[end - 1] === 0x0a || body[end - 1] === 0x0d)) end -= 1;
  return body.subarray(0, end);
}
