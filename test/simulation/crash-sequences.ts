/** What the crash matrix sends for each writing operation: in which order, to which process and in which formats. */
import { resources } from '../resources/index.ts';
import { formatsOf } from '../resources/operations.ts';
import type { CrashCase } from '../resources/resource.ts';
import { otherMember } from '../resources/stored-detail.ts';
import type { Cell, Sending } from './matrix.ts';
import type { SimulatedRequest } from './request.ts';

export interface CrashSequence {
  readonly name: string;
  readonly asksUpdater: boolean;
  readonly sendings: readonly Sending[];
  readonly isolation: Cell['isolation'];
  readonly otherMember?: SimulatedRequest;
}

export const crashCases: readonly CrashCase[] = resources.flatMap((resource) => resource.crashCases);

/** `SEQUENCES=all`, as in the nightly run, takes all sequences of each case. Otherwise every case has others of them. */
const step = process.env.SEQUENCES === 'all' ? 1 : 3;

export const crashSequences: readonly CrashSequence[] = crashCases.flatMap((crashCase, index) =>
  sequencesOf(crashCase).filter((_, at) => at % step === index % step),
);

/** A request; a retry to a process that has lost its memory; a retry to another process; another request under the key. */
export function sequencesOf({ request, otherRequest, outcome, asksUpdater = false }: CrashCase): CrashSequence[] {
  const formats = formatsOf(request.operation);
  return formats.flatMap((same, index) => {
    const other = formats[(index + 1) % formats.length]!;
    const sequence = (retries: readonly [typeof same, typeof same], isolation: Cell['isolation']): CrashSequence => ({
      name: `${request.text}${asksUpdater ? ' with an external updater' : ''}: ${same}, then ${retries.join(' and ')}, ${isolation}`,
      isolation,
      asksUpdater,
      sendings: [
        { request, format: same, to: 'first', outcome },
        { request, format: retries[0], to: 'first', restarted: true, outcome },
        { request, format: retries[1], to: 'second', outcome },
        { request: otherRequest, format: other, to: 'second', outcome: 'keyReused' },
      ],
    });
    const isolated = [sequence([same, other], 'locking'), sequence([other, same], 'serial')];
    // What a group does with its members does not depend on their format.
    return index === 0 ? [...isolated, { ...sequence([same, other], 'grouped'), otherMember }] : isolated;
  });
}
