/** What answers say about the end of what their caller uses: headers for every format (RFC 9745, RFC 8594). */

/** Times in milliseconds since the epoch. */
export interface DeprecationNotice {
  readonly deprecatedSince: number;
  /** When it may end; absent if that is not decided. */
  readonly sunset?: number | undefined;
  /** Pages that say what to do instead. */
  readonly links: readonly string[];
}

/** Returns the headers `Deprecation`, `Sunset` and `Link`. */
export function deprecationHeaders(notice: DeprecationNotice): Readonly<Record<string, string>> {
  const { deprecatedSince, sunset, links } = notice;
  const relations = sunset === undefined ? ['deprecation'] : ['deprecation', 'sunset'];
  return {
    // A date of structured fields (RFC 9651): seconds.
    Deprecation: `@${Math.floor(deprecatedSince / 1000)}`,
    ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
    ...(links.length > 0 && {
      Link: links.flatMap((link) => relations.map((relation) => `<${link}>; rel="${relation}"`)).join(', '),
    }),
  };
}
