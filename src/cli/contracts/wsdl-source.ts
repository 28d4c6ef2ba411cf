/** Reads the contracts of a WSDL for `serve --wsdl`. */

import { printFinding } from '../../documents/wsdl/findings.ts';
import { type ImportOptions, importWsdl } from '../../documents/wsdl/import-wsdl.ts';
import { Unread } from '../../documents/wsdl/read-location.ts';
import { contractNames } from '../../documents/wsdl/write-contract.ts';
import { escapeUnprintable } from '../../lib/escape-unprintable.ts';
import { CommandError } from '../command-error.ts';
import { linesOf } from '../import-wsdl.ts';
import type { ContractSource } from './source.ts';

/** A URL may name others, as an operator who gives one expects. Throws CommandError where nothing can be imported. */
export async function openWsdl(
  location: string,
  options: Omit<ImportOptions, 'allowNetwork'>,
): Promise<ContractSource> {
  const allowNetwork = /^https?:/i.test(location);
  try {
    const imported = await importWsdl(location, { ...options, allowNetwork });
    return {
      option: '--wsdl',
      location,
      services: imported.services.map((each) => ({ ...each, hasSingleAddress: true })),
      report: linesOf(imported).map(escapeUnprintable),
      contractNames: contractNames(imported.services.map(({ service }) => service)),
      text: imported.text,
    };
  } catch (thrown) {
    if (!(thrown instanceof Unread)) throw thrown;
    throw new CommandError([escapeUnprintable(thrown.message), ...thrown.findings.map(printFinding)]);
  }
}
