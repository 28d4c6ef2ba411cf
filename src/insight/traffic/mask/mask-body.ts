/** Masks the body of a message: shows the values that its format has read as members which the contract does not call sensitive. */
import { isSecret, printableName, type Schema } from '../../../core/contract/index.ts';
import type { TextPart, TextTools, VisitedPart } from '../../../core/formats/index.ts';
import { type MaskedText, maskShape } from './mask-shape.ts';

/** Stands for what is not shown. */
export const masked = '<masked>';

/** Returns a text with the secrets in it masked. */
export type MaskText = (text: string) => string;

export interface BodyMasking {
  /** Of the format that has read the body; undefined where none could. */
  readonly tools: Pick<TextTools, 'parts'> | undefined;
  /** What the format has read of this text. `all`: every value of a refusal, which is a text of this program or of an upstream. */
  readonly read: readonly VisitedPart[] | 'all';
  readonly maskText: MaskText;
  /** Words that are shown of a body that no format could read, and names that are shown of every body. */
  readonly words: ReadonlySet<string>;
  readonly lengthMax: number;
}

/** A number that begins before the limit may end behind it. */
const beyondLimit = 64;
/** Longer texts are not parsed again. */
const parsedMax = 262_144;

/**
 * The rule is: what the format has read is masked by what it has read, and everything else as a whole. A text that is malformed, cut off or
 * too long to be parsed is shown as its shape.
 */
export function maskBody(text: string, { tools, read, maskText, words, lengthMax }: BodyMasking): MaskedText {
  const parts = text.length > parsedMax ? undefined : tools?.parts(text);
  if (parts === undefined) return maskShape(text, words, lengthMax);
  const shown = read === 'all' ? undefined : shownValues(text, read);
  let printed = '';
  let at = 0;
  for (const part of parts) {
    if (printed.length > lengthMax) break;
    printed += text.slice(at, part.start);
    printed += printedPart(part, lengthMax - printed.length);
    at = part.end;
  }
  if (printed.length <= lengthMax) printed += text.slice(at);
  return cut(printed, lengthMax);

  function printedPart(part: TextPart, room: number): string {
    const sent = text.slice(part.start, part.end);
    switch (part.kind) {
      case 'name':
        return words.has(part.decoded) || printableName(part.decoded) === part.decoded ? sent : part.quote(masked);
      case 'remark':
        return part.quote(masked);
      case 'value': {
        const known = shown?.get(part.start);
        if (shown !== undefined && known === undefined) return part.isTechnical === true ? sent : part.quote(masked);
        const isShown = known === undefined || (known.isShown && known.end === part.end);
        return isShown ? maskValue(sent, known?.text ?? part.decoded, room + beyondLimit) : part.quote(masked);
      }
      default:
        return part.kind satisfies never;
    }

    function maskValue(sent: string, decoded: string, room: number): string {
      const begin = decoded.slice(0, room);
      const safe = maskText(begin);
      if (safe !== begin) return part.quote(safe);
      return decoded.length > room ? sent.slice(0, room) : sent;
    }
  }
}

/** Masks a text that is in no format. */
export function maskPlain(text: string, maskText: MaskText, lengthMax: number): MaskedText {
  return cut(maskText(text.slice(0, lengthMax + beyondLimit)), lengthMax);
}

function cut(text: string, lengthMax: number): MaskedText {
  const isCut = text.length > lengthMax;
  return { text: isCut ? text.slice(0, lengthMax) : text, isCut };
}

interface KnownValue {
  readonly end: number;
  readonly text: string;
  readonly isShown: boolean;
}

/** By the start of each value that was read as a member of the contract. One that was read twice, by a reference, is shown if both may be. */
function shownValues(text: string, read: readonly VisitedPart[]): ReadonlyMap<number, KnownValue> {
  const values = new Map<number, KnownValue>();
  for (const { schema, text: decoded, place } of read) {
    if (schema === undefined || decoded === undefined || place.document !== text) continue;
    const { start, end } = place.value;
    const isShown = isShownAt(schema) && values.get(start)?.isShown !== false;
    values.set(start, { end, text: decoded, isShown });
  }
  return values;
}

/** Whether texts there may be shown: the contract does not call them sensitive. Nothing says what callers put into bytes and maps. */
function isShownAt(schema: Schema): boolean {
  switch (schema.kind) {
    case 'string':
    case 'dateTime':
    case 'integer':
    case 'decimal':
    case 'double':
      return !isSecret(schema);
    case 'list':
      return schema.joined;
    case 'boolean':
    case 'date':
    case 'enum':
      return true;
    case 'binary':
    case 'map':
    case 'object':
      return false;
    default:
      return schema satisfies never;
  }
}
