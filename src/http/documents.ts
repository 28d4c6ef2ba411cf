/** Serves documents: GET and HEAD of what callers download, open to everyone, revalidated by ETag. */
import type { Message } from '../formats/wire.ts';
import type { Received } from './receive.ts';

export interface Document {
  /** Media type with charset. */
  readonly contentType: string;
  readonly body: string;
  /** As in the header, quotes included. */
  readonly etag: string;
}

/** Where documents come from. */
export interface Documents {
  /**
   * `path` as sent, without query; `queryString` without its question mark; `origin` like `https://pay.example.com`.
   * Undefined where no document has that address.
   */
  find(path: string, queryString: string, origin: string): Document | undefined;
}

/** If-None-Match compares weakly: what is equal in meaning need not be sent again (RFC 9110, section 13.1.2). */
const matches = (wanted: string | undefined, etag: string): boolean => {
  if (wanted === undefined) return false;
  const plain = (tag: string): string => tag.trim().replace(/^W\//, '');
  return wanted.trim() === '*' || wanted.split(',').some((tag) => plain(tag) === plain(etag));
};

/** The answer to a request for a document; undefined where it asks for something else. */
export const documentMessage = (
  received: Received,
  documents: Documents,
  origin: () => string,
): Message | undefined => {
  const { method, path, query, fault, headers } = received;
  if ((method !== 'GET' && method !== 'HEAD') || fault !== undefined) return undefined;
  const document = documents.find(path, query, origin());
  if (document === undefined) return undefined;
  const { contentType, body, etag } = document;
  const kept = { 'Cache-Control': 'no-cache', ETag: etag };
  return matches(headers['if-none-match'], etag)
    ? { status: 304, contentType, headers: kept, body: '' }
    : { status: 200, contentType, headers: kept, body };
};
