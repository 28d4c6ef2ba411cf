/** Texts that are lists of texts, as JSON. */

/** Returns the items of a list with a given number of them; undefined for any other text. */
export function parseTextList(text: string | undefined, length: number): readonly string[] | undefined {
  if (text === undefined) return undefined;
  try {
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) && parts.length === length && parts.every((each) => typeof each === 'string')
      ? parts
      : undefined;
  } catch {
    return undefined;
  }
}
