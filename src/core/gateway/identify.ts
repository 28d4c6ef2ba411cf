/** Identifies a body whose head does not say what it is: by its first byte, as the parts of a multipart body, or as JSON that is declared as a form. */
import type { Buffer } from 'node:buffer';
import {
  type Attachments,
  fallbackFormats,
  formatOfBody,
  formDataType,
  formOfParts,
  multipartType,
  readRelated,
  wireFormats,
} from '../formats/index.ts';

export interface Identified {
  /** What Content-Type would have said; empty for a body that is like none of the formats. */
  readonly contentType: string;
  readonly body: Buffer;
  /** The parts beside it. */
  readonly attachments?: Attachments;
}

/** Throws a Problem for a multipart body that does not begin with XML, and for a form in parts with more than fields. */
export function identify(body: Buffer, declaredType: string, header: string | undefined): Identified {
  if (declaredType === multipartType) return readRelated(body, header ?? '');
  if (declaredType === formDataType) return formOfParts(body, header ?? '');
  if (declaredType === wireFormats.form.mediaType) return { contentType: typeOfForm(body, header ?? ''), body };
  return { contentType: typeOf(body), body };
}

/** No document of one format begins as that of another, so this is no guess between readings. */
function typeOf(body: Buffer): string {
  const format = formatOfBody(body.toString('latin1', 0, startMax));
  return format === undefined ? '' : wireFormats[format].mediaType;
}

/** No member of a form is called like a whole object: its brace and quotes are encoded. */
function typeOfForm(body: Buffer, header: string): string {
  if (formatOfBody(body.toString('latin1', 0, startMax)) !== fallbackFormats.other) return header;
  try {
    const value: unknown = JSON.parse(body.toString());
    return Array.isArray(value) ? header : header.replace(/^[^;]*/, wireFormats[fallbackFormats.other].mediaType);
  } catch {
    return header;
  }
}

/** Where the first character is looked for. */
export const startMax = 200;
