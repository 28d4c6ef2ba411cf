/** Looks for secrets in texts that should hold none: reports them, and refuses them where a setting says so. */
import {
  createTextFinder,
  fieldOf,
  issue,
  label,
  type Path,
  Problem,
  type Schema,
  type Step,
  type TextDetector,
} from '../contract/index.ts';
import type { Decoded } from '../formats/index.ts';

export interface SecretFound {
  readonly operation: string;
  /** The dotted name of the field in the contract, without the keys of maps. */
  readonly field: string;
  readonly credential: string;
}

/** Throws a Problem where such texts are refused. */
export type ScanTexts = (decoded: Pick<Decoded, 'operation' | 'input'>, credential: string) => void;

export function createTextScan(
  detector: TextDetector,
  refuses: boolean,
  report: (found: SecretFound) => void,
): ScanTexts {
  const find = createTextFinder(detector);
  return ({ operation, input }, credential) => {
    const paths = find(operation.input, input);
    if (paths.length === 0) return;
    for (const path of paths)
      report({ operation: operation.name, field: fieldName(operation.input, path), credential });
    if (refuses) throw secretsProblem(paths);
  };
}

/** Names the fields, and not what they hold. */
export function secretsProblem(paths: readonly Path[]): Problem {
  return Problem.of(paths.map((path) => issue(path, 'invalidField', label(path))));
}

/** A caller chooses the keys of maps, so there may be any number of them. */
function fieldName(input: Schema, path: Path): string {
  const names: string[] = [];
  let schema: Schema | undefined = input;
  for (const step of path) {
    if (schema?.kind === 'map') break;
    if (typeof step === 'string') names.push(step);
    schema = schemaBelow(schema, step);
  }
  return names.join('.');
}

function schemaBelow(schema: Schema | undefined, step: Step): Schema | undefined {
  if (schema?.kind === 'list') return schema.item;
  return schema?.kind === 'object' && typeof step === 'string' ? fieldOf(schema, step)?.schema : undefined;
}
