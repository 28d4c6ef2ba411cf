/** Finds the OpenAPI documents to measure. */
import { readFileSync } from 'node:fs';
import { filesOf } from '../measure-all.ts';

/** `path`: a document, a folder, or a file that lists documents, one in each line. Parts that others refer to are left out. */
export function documentsOf(path: string): readonly string[] {
  return filesOf(path, /\.(?:ya?ml|json)$/i).filter(isDocument);
}

function isDocument(file: string): boolean {
  return /^\s*["']?(?:openapi|swagger)["']?\s*:|"(?:openapi|swagger)"\s*:/m.test(readFileSync(file, 'utf8'));
}
