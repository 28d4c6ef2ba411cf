/** Finds the documents to measure. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** `path`: a WSDL, a folder with WSDLs, or a file that lists one in each line. */
export function filesOf(path: string): readonly string[] {
  if (statSync(path).isFile()) {
    if (/\.wsdl$/i.test(path)) return [path];
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  }
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.wsdl$/i.test(name))
    .sort()
    .map((name) => join(path, name));
}
