/** Masks the stored outcome of a request for people: what a contract calls sensitive, and secrets in texts. */
import type { Operation } from '../../contract/operation.ts';
import type { MaskSecrets } from '../../contract/redaction.ts';
import { newestOf, type Service } from '../../contract/service.ts';

/**
 * Returns JSON text. A record has the name of its operation only: where several services have one of this name, each masks the
 * output. Without one, the output is not shown.
 */
export function maskOutcome(
  text: string,
  operationName: string,
  services: readonly Service[],
  mask: MaskSecrets,
): string {
  const { output, ...others } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (output === undefined) return JSON.stringify(others);
  const operations = newestOf(services).flatMap(({ operations: all }): Operation[] => {
    const found = all.get(operationName);
    return found === undefined ? [] : [found];
  });
  const masked = operations.reduce<unknown>((value, operation) => mask(operation.output, value), output);
  return JSON.stringify({ ...others, output: operations.length === 0 ? '(hidden)' : masked });
}
