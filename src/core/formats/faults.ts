/** Reads and prints the data of faults that operations declare. */

import {
  AnswerCollector,
  type Fault,
  faultOf,
  type Issue,
  type ObjectSchema,
  type Operation,
} from '../contract/index.ts';
import { memoize } from '../lib/index.ts';
import { dateTimeFormatOf, type FormatParts, ownersOf, type Print } from './codec.ts';
import type { FaultData, FormatContext, Refusal } from './protocol.ts';

/** The data of a fault in a format. */
export interface PrintedFault extends Fault {
  readonly text: string;
}

/** The faults of the operations of a server, in one format. */
export interface Faults<N> {
  /** Undefined for a problem without data of a declared fault. */
  print(operation: Operation | undefined, problem: FaultData): PrintedFault | undefined;
  /** What a refusal has in addition. Undefined for an element, or a member, that is no fault of the operation. */
  read(operation: Operation, element: string, node: N): Required<Pick<Refusal, 'fault'>> | undefined;
}

/** Takes what does not fit out of the data of a fault. */
type Fit<N> = (value: unknown, issues: readonly Issue[], node: N, detail: ObjectSchema) => unknown;

/** Each fault is compiled at its first use. Without `fit`, data with a value that does not fit are left out. */
export function compileFaults<N>(
  { services, compileRead }: FormatContext,
  { carried, reader, compilePrint }: FormatParts<N>,
  fit: Fit<N> = () => undefined,
): Faults<N> {
  const owners = ownersOf(services, carried);
  const readOf = memoize(({ detail }: Fault) => compileRead(detail, reader, 'server'));
  const prints = new Map<Fault, Print>();
  return {
    print(operation, { kind, fault: value }) {
      const service = operation && owners.get(operation);
      const fault = operation && faultOf(operation, kind);
      if (value === undefined || service === undefined || fault === undefined) return undefined;
      let print = prints.get(fault);
      if (print === undefined) {
        print = compilePrint(fault.detail, dateTimeFormatOf(service), service, 'fault');
        prints.set(fault, print);
      }
      return { ...fault, text: print(value) };
    },

    read(operation, element, node) {
      const fault = operation.faults?.find((each) => each.element === element);
      if (fault === undefined) return undefined;
      const collector = new AnswerCollector();
      const { issues } = collector;
      const whole = readOf(fault)(node, collector) ?? Object.freeze({});
      // The server has refused, whatever is wrong with its data.
      const value = issues.length === 0 ? whole : fit(whole, issues, node, fault.detail);
      return { fault: { problem: fault.problem, ...(value !== undefined && { value }) } };
    },
  };
}
