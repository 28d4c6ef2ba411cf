/** Reads the conformance cases: each file in `cases/` exports `cases`. One with the name of an operation exports its `access`, too. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { kebabCase } from '../../src/documents/names.ts';
import { newestRecurring } from '../../src/payments/recurring/versions.ts';
import type { Access, Case } from './case.ts';

interface CaseFile {
  readonly cases?: readonly Case[];
  readonly access?: Access;
}

export const caseFiles = readdirSync(join(import.meta.dirname, 'cases')).sort();
const modules = new Map(await Promise.all(caseFiles.map(async (file) => [file, await readFile(file)] as const)));

export const cases = [...modules.values()].flatMap((module) => module.cases);

/** By the name of the operation. */
export const access: ReadonlyMap<string, Access | undefined> = new Map(
  [...newestRecurring.operations.keys()].map((name) => [name, modules.get(`${kebabCase(name)}.ts`)?.access]),
);

async function readFile(file: string) {
  const { cases, access }: CaseFile = await import(`./cases/${file}`);
  if (cases === undefined) throw new TypeError(`${file} exports no cases`);
  return { cases, access };
}
