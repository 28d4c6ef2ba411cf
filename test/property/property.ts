/** A law: a function that looks for a value which breaks it, so that a seeded defect can show that it would be found. */
import { randomInt } from 'node:crypto';
import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from '../../src/contract/operation.ts';
import { namedOperations, type Service } from '../../src/contract/service.ts';
import type { Protocols } from '../../src/formats/index.ts';
import { type NamedProtocol, namedProtocols } from '../../src/formats/protocol.ts';

/** Whose law it is, over how many values. */
export interface Trial {
  readonly protocols: Protocols;
  readonly service: Service;
  readonly operation: Operation;
  readonly runs: number;
  /** Takes the first value that breaks the law, where else a smaller one would be looked for. */
  readonly unshrunk?: true;
}

/** What broke the law, in words; undefined while it holds. */
export type Law = (trial: Trial) => string | undefined;

export const seed = Number(process.env.LAW_SEED ?? randomInt(2 ** 31 - 1));
// Printed even when all is well, so that any run can be had again.
process.stderr.write(`LAW_SEED=${seed}\n`);

/** `PROPERTY_RUNS=100` for a quick look. */
export const runs = Number(process.env.PROPERTY_RUNS ?? 1_000);

/** Milliseconds that a protocol keeps of a moment. */
export const precisionMs: Readonly<Record<NamedProtocol, number>> = {
  soap11: 1,
  soap12: 1,
  json: 1_000,
  form: 1_000,
  adapter: 1_000,
};

/** The protocols of operations that callers name. */
export const namesOf = (protocols: Protocols): readonly NamedProtocol[] =>
  namedProtocols.filter((name) => name in protocols);

/** Judges `runs` values; the smallest that the judge has something to say about, with what it says. */
export const search = <T>(values: Arbitrary<T>, { runs, unshrunk }: Trial, judge: (value: T) => string | undefined) => {
  let complaint: string | undefined;
  const details = fc.check(
    fc.property(values, (value) => {
      const found = judge(value);
      if (found !== undefined) complaint = found;
      return found === undefined;
    }),
    // Long shrinking helps nobody who waits for the answer; a busy machine may take a while over what is right.
    {
      seed,
      numRuns: runs,
      endOnFailure: unshrunk ?? false,
      interruptAfterTimeLimit: 240_000,
      markInterruptAsFailure: true,
    },
  );
  if (!details.failed) return undefined;
  const thrown = details.errorInstance instanceof Error ? details.errorInstance.stack : undefined;
  return `seed ${seed}: ${complaint ?? thrown ?? 'out of time'}\n${fc.stringify(details.counterexample)}`;
};

/** Every operation that callers name, with a title for its tests. */
export const operationsOf = (services: readonly Service[]) =>
  services.flatMap((service) =>
    namedOperations(service).map((operation) => ({
      service,
      operation,
      title: `${service.name} v${service.version} ${operation.name}`,
    })),
  );
