/** Reads the contracts of a WSDL for `serve --wsdl`. */

import { escapeUnprintable } from '../../../core/lib/index.ts';
import { contractNames, type ImportOptions, withoutCredentials } from '../../../readers/index.ts';
import { linesOf, readWsdl } from '../import-wsdl.ts';
import type { ContractSource } from './source.ts';

/** A URL may name others, as an operator who gives one expects. Throws CommandError where nothing can be imported. */
export async function openWsdl(
  location: string,
  options: Omit<ImportOptions, 'allowNetwork'>,
): Promise<ContractSource> {
  const imported = await readWsdl(location, { ...options, allowNetwork: /^https?:/i.test(location) });
  return {
    option: '--wsdl',
    location: withoutCredentials(location),
    services: imported.services.map((each) => ({ ...each, hasSingleAddress: true })),
    report: linesOf(imported).map(escapeUnprintable),
    contractNames: contractNames(imported.services.map(({ service }) => service)),
    text: imported.text,
  };
}
