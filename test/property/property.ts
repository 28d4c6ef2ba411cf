/** A property: a function that searches for a counterexample. Tests run it on the real codecs and on seeded defects. */
import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from '../../src/core/contract/operation.ts';
import { namedOperations, type Service } from '../../src/core/contract/service.ts';
import { type NamedProtocol, namedProtocols, type Protocols } from '../../src/core/formats/wire-formats.ts';
import type { Routes } from '../../src/core/gateway/route.ts';
import { repeatCommand, seed } from '../support/seed.ts';

/** The code under test, and the number of values. */
export interface Subject {
  readonly protocols: Protocols;
  /** Of the services that the protocols carry; the built-in ones where it is absent. */
  readonly routes?: Routes;
  readonly service: Service;
  readonly operation: Operation;
  readonly runs: number;
  /** Returns the first counterexample instead of the smallest one. */
  readonly unshrunk?: true;
}

/** Returns the counterexample and its fault as text; undefined where the property holds. */
export type Property = (subject: Subject) => string | undefined;

/** Values per property; the nightly run has 2,000. */
export const runs = Number(process.env.PROPERTY_RUNS ?? 100);

/** The formats of operations without an HTTP binding; the adapter only for a version that has its address. */
export const namesOf = ({ protocols, service }: Pick<Subject, 'protocols' | 'service'>): readonly NamedProtocol[] =>
  namedProtocols.filter((name) => name in protocols && (name !== 'adapter' || service.legacy?.adapter !== undefined));

/** Checks `runs` values. Returns the fault of the smallest counterexample, with the command that repeats the run. */
export function search<T>(
  values: Arbitrary<T>,
  { runs, unshrunk }: Pick<Subject, 'runs' | 'unshrunk'>,
  check: (value: T) => string | undefined,
): string | undefined {
  let fault: string | undefined;
  const details = fc.check(
    fc.property(values, (value) => {
      const found = check(value);
      if (found !== undefined) fault = found;
      return found === undefined;
    }),
    // The time limit ends long shrinking; a correct property passes within it on a busy machine, too.
    {
      seed,
      numRuns: runs,
      endOnFailure: unshrunk ?? false,
      interruptAfterTimeLimit: 800_000,
      markInterruptAsFailure: true,
    },
  );
  if (!details.failed) return undefined;
  const thrown = details.errorInstance instanceof Error ? details.errorInstance.stack : undefined;
  return failure(`${fault ?? thrown ?? 'out of time'}\n${fc.stringify(details.counterexample)}`);
}

/** The text of a failure, with the command that repeats the run. */
export const failure = (text: string): string => `${text}\nrepeat: ${repeatCommand('test/property')}`;

/** All operations without an HTTP binding, with a title for their tests; those that versions share, in the oldest one. */
export const operationsOf = (services: readonly Service[]) =>
  services.flatMap((service, at) =>
    namedOperations(service)
      .filter((operation) => !services.slice(0, at).some((older) => older.operations.get(operation.name) === operation))
      .map((operation) => ({
        service,
        operation,
        title: `${service.name} v${service.version} ${operation.name}`,
      })),
  );
