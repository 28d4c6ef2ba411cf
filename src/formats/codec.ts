/** The compiled reading and writing of an operation, both ways, in one protocol. */
import type { Operation } from '../contract/operation.ts';
import type { Issue } from '../contract/problem.ts';
import { compileRead, IssueCollector, type Read, type Reader } from '../contract/read.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import { namedOperations, type Service } from '../contract/service.ts';

/** Prints a canonical value of one shape. */
export type Print = (value: unknown) => string;

interface Codec<N> {
  readonly input: { readonly read: Read<N>; readonly print: Print };
  readonly output: { readonly read: Read<N>; readonly print: Print };
}

type Side = 'input' | 'output';

export interface Codecs<N> {
  read(operation: Operation, side: Side, node: N): { readonly value: unknown; readonly issues: readonly Issue[] };
  print(operation: Operation, side: Side, value: unknown): string;
}

/** Compiles all operations of all services once; `printer` gets the service, whose namespace may be printed. */
export const compileCodecs = <N>(
  services: readonly Service[],
  reader: Reader<N>,
  printer: (shape: ObjectSchema, service: Service) => Print,
): Codecs<N> => {
  const codecs = new Map<Operation, Codec<N>>();
  for (const service of services)
    for (const operation of namedOperations(service)) {
      const side = (name: Side) => ({
        read: compileRead(operation[name], reader),
        print: printer(operation[name], service),
      });
      codecs.set(operation, { input: side('input'), output: side('output') });
    }
  const codec = (operation: Operation): Codec<N> => {
    const found = codecs.get(operation);
    if (found === undefined) throw new TypeError(`no codec was compiled for ${operation.name}`);
    return found;
  };
  return Object.freeze({
    read(operation: Operation, side: Side, node: N) {
      const findings = new IssueCollector();
      // An empty request lacks what it lacks; it is not absent.
      const value = codec(operation)[side].read(node, findings) ?? Object.freeze({});
      return { value, issues: findings.issues };
    },
    print: (operation: Operation, side: Side, value: unknown) => codec(operation)[side].print(value),
  });
};
