/** Entity tags, which name states of a document or resource. */

/** Whether the value of If-None-Match names a tag; compares weakly (RFC 9110, section 13.1.2). `etag`: with its quotes. */
export function matchesEntityTag(wanted: string | undefined, etag: string): boolean {
  if (wanted === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return wanted.trim() === '*' || wanted.split(',').some((tag) => opaque(tag) === opaque(etag));
}
