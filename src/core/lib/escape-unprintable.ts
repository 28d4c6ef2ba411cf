/** Escapes the characters of a text that a terminal or an editor does not show: they end lines, move the cursor or reorder text. */

/** Control, format and unassigned characters, surrogates and line separators as `\u001b`, as JavaScript and JSON write them. */
export function escapeUnprintable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeUnits);
}

/** Escapes them in each line of a text. Its line breaks stay. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}

/** Each UTF-16 unit of a text as `\u001b`. */
export function escapeUnits(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
