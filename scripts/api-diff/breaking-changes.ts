/** Lists the breaking changes between two sets of API documents. */
import { openApiChanges } from './openapi.ts';
import { xmlChanges } from './xml.ts';

/** The text of each document by its path. */
export type Documents = ReadonlyMap<string, string>;

export function breakingChanges(before: Documents, after: Documents): readonly string[] {
  return [...before].flatMap(([path, old]) => {
    const text = after.get(path);
    if (text === undefined) return [`${path}: the document was removed`];
    const changes = path.endsWith('.json') ? openApiChanges(JSON.parse(old), JSON.parse(text)) : xmlChanges(old, text);
    return changes.map((change) => `${path}: ${change}`);
  });
}
