/**
 * Finds public documents for tests and measurements. They are not part of this project: they stand in `../shared/corpus` beside the checkout,
 * as its README says. Without that folder, tests have the documents of `test/wsdl` and `test/openapi` alone, which were written here.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesOf } from '../../scripts/measure-all.ts';
import { documentsOf } from '../../scripts/openapi-coverage/files.ts';

/** `wsdl-small`: WSDLs of 20 generators. `wsdl`: those of 42 repositories, complete and broken ones. `openapi`: documents of many makers. */
export type CorpusName = 'wsdl-small' | 'wsdl' | 'openapi';

const root = join(import.meta.dirname, '../..');
const own = { wsdl: join(root, 'test/wsdl'), openapi: join(root, 'test/openapi') } as const;

/** The folder of a part, whether it is there or not. */
export function corpusFolder(name: CorpusName): string {
  return join(root, '../shared/corpus', name);
}

/** The paths of the public documents of a part. Prints their number. None without the folder. */
export function corpusOf(name: CorpusName): readonly string[] {
  const folder = corpusFolder(name);
  const files = existsSync(folder) ? readDocuments(name, folder) : [];
  process.stdout.write(`${files.length} documents in ${relative(root, folder)}\n`);
  return files;
}

/** The paths of the documents that were written here. */
export function ownDocuments(kind: keyof typeof own): readonly string[] {
  const ending = kind === 'wsdl' ? /\.wsdl$/ : /\.(?:yaml|json)$/;
  return readdirSync(own[kind])
    .filter((name) => ending.test(name))
    .map((name) => join(own[kind], name));
}

/** The path of one that was written here. */
export function ownDocument(name: string): string {
  return join(name.endsWith('.wsdl') ? own.wsdl : own.openapi, name);
}

function readDocuments(name: CorpusName, folder: string): readonly string[] {
  switch (name) {
    case 'wsdl-small':
    case 'wsdl':
      return filesOf(folder, /\.wsdl$/i);
    case 'openapi':
      return documentsOf(folder);
    default:
      return name satisfies never;
  }
}
