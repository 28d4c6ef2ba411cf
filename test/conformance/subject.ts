/** A service with its conformance cases, and the gateway that the cases need. */
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import type { Protocols } from '../../src/core/formats/wire-formats.ts';
import type { TestGateway } from '../support/gateway.ts';
import type { ServiceCase } from './case.ts';

export interface ConformanceSubject {
  readonly service: Service;
  readonly protocols: Protocols;
  readonly cases: readonly ServiceCase[];
  /** Opens a gateway with the rows that the cases begin with. */
  open(): Promise<TestGateway>;
  /** The credential of a case. */
  headersOf(each: ServiceCase): Readonly<Record<string, string>>;
  /** Returns what the service has stored. */
  stored(gateway: TestGateway): Promise<unknown>;
  /** What it has stored at the beginning. */
  readonly initial: unknown;
}

/** Throws for a case of an operation that the service does not have. */
export function operationOf({ service }: ConformanceSubject, { operation: name }: ServiceCase): Operation {
  const operation = service.operations.get(name);
  if (operation === undefined) throw new TypeError(`${service.name} has no operation ${name}`);
  return operation;
}
