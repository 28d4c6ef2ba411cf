/** Decodes percent-encoding that may be wrong. */

/** Returns the text itself where its percent-encoding is wrong. */
export function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
