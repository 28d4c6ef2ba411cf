/** Reads the conformance cases: each file in `cases/` exports `cases`. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from './case.ts';

export const caseFiles = readdirSync(join(import.meta.dirname, 'cases')).sort();
export const cases = (await Promise.all(caseFiles.map(readCases))).flat();

async function readCases(file: string): Promise<readonly Case[]> {
  const module: { readonly cases?: readonly Case[] } = await import(`./cases/${file}`);
  if (module.cases === undefined) throw new TypeError(`${file} exports no cases`);
  return module.cases;
}
