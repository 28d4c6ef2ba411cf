/** Refuses rows with a secret, such as a card number, in a text that should hold none. */
import { createTextFinder, type TextDetector } from '../contract/text-detector.ts';
import { secretsProblem } from '../gateway/text-scan.ts';
import type { RowImporter } from './import-batch.ts';

export function refuseSecrets<R>(importer: RowImporter<R>, detector: TextDetector): RowImporter<R> {
  const find = createTextFinder(detector);
  return Object.freeze<RowImporter<R>>({
    ...importer,
    async save(row, tx, line) {
      const paths = find(importer.schema, row);
      if (paths.length > 0) throw secretsProblem(paths);
      return importer.save(row, tx, line);
    },
  });
}
