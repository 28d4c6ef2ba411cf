/** Runs the text of an imported contract. */

import type { Service } from '../../src/core/contract/service.ts';
import * as language from '../../src/program/api/contract.ts';
import { checkSource } from '../../src/readers/wsdl/check-source.ts';

/** The text declares constants and nothing else. */
export function runContract(text: string): Service {
  checkSource(text);
  const body = text
    .replace(/^import [^;]*;/m, '')
    .replace(/^export /gm, '')
    .replaceAll(' as const;', ';');
  const names = Object.keys(language);
  return new Function(...names, `${body}; return contract;`)(...names.map((name) => Object(language)[name]));
}
