/** `triglyph pending settle --file`: settles the requests that the rows of a file name. */

import type { Backend, RefusedRow } from '../../../backend/index.ts';
import { createSettlementImporter, type SettledRow, type SettlementImporter } from '../../../operators/index.ts';
import { commandEvent } from '../audited-command.ts';
import { type ImportOptions, runImport } from '../import/file.ts';
import { printAll } from '../output.ts';
import { servedServices } from '../project-upstreams.ts';

/** Prints a line for each row. Sets exit code 1 if rows were refused. */
export async function settleFile(path: string, options: ImportOptions): Promise<void> {
  let importer: SettlementImporter | undefined;
  const createImporter = ({ requestHasher, records }: Backend): SettlementImporter => {
    // Its transactions are not those of the file, so nothing would undo what a trial has settled.
    const trial = options.dryRun === true && { settle: async () => true };
    const unsettled = records?.unsettled;
    const foreign = unsettled && { ...unsettled, ...trial };
    importer = createSettlementImporter({ services: servedServices(), hasher: requestHasher, foreign });
    return importer;
  };
  const committed = async (refused: readonly RefusedRow[], { audit }: Backend): Promise<void> => {
    const settled = importer?.takeSettled() ?? [];
    if (options.dryRun !== true)
      await audit.append(settled.flatMap(({ id, outcome }) => commandEvent({ id, settled: outcome }) ?? []));
    printAll(linesOf(settled, refused, options.dryRun === true));
  };
  await runImport(createImporter, path, options, { done: 'settled', committed, access: { needs: 'nothing' } });
}

function linesOf(settled: readonly SettledRow[], refused: readonly RefusedRow[], isDryRun: boolean): readonly string[] {
  const verb = isDryRun ? 'would be settled' : 'is settled';
  const lines = [
    ...settled.map(({ line, id, consequence }) => [line, `${id} ${verb}. ${consequence}`] as const),
    ...refused.map(({ line, reasons }) => [line, `refused: ${reasons.map(textOf).join(' ')}`] as const),
  ];
  return lines.toSorted(([a], [b]) => a - b).map(([line, text]) => `line ${line}: ${text}`);
}

function textOf({ field, message }: RefusedRow['reasons'][number]): string {
  return field === '' ? message : `${field}: ${message}`;
}
