/** Compares the answers of two servers to one request, and counts their differences by kind. */

import { anyText, type MaskSecrets, type Operation } from '../../core/contract/index.ts';
import { BoundedMap } from '../../core/lib/index.ts';
import { compareValues, type Difference, type IdPairs } from './compare-values.ts';
import type { Rules } from './rules.ts';

/** An answer in canonical form: an output, or a refusal. */
export interface ComparedAnswer {
  readonly output?: unknown;
  readonly refusal?: { readonly code?: string | undefined; readonly message: string };
}

/** The path of a difference between an output and a refusal, or between two refusals. */
export const outcomePath = '(outcome)';
/** The path of a difference between the texts of two refusals with one code. */
export const messagePath = '(message)';

/** Finds all differences between two answers to a request of the operation. `mask`: masks the values of differences. */
export function compareAnswers(
  operation: Operation,
  left: ComparedAnswer,
  right: ComparedAnswer,
  rules: Rules,
  ids: IdPairs,
  mask?: MaskSecrets,
): readonly Difference[] {
  const [own, other] = [outcomeOf(left), outcomeOf(right)];
  if (own !== other) return ofHead(outcomePath, 'outcome', own, other, rules);
  if (left.refusal === undefined || right.refusal === undefined)
    return compareValues(operation.output, left.output ?? {}, right.output ?? {}, rules, ids, mask);
  const [text, otherText] = [left.refusal.message, right.refusal.message];
  const shown = (message: string): string => String(mask?.(anyText, message) ?? message);
  return text === otherText ? [] : ofHead(messagePath, 'value', shown(text), shown(otherText), rules);
}

function ofHead(path: string, kind: Difference['kind'], left: string, right: string, rules: Rules): Difference[] {
  return rules.scalar(path)?.kind === 'ignore' ? [] : [{ kind, path, at: path, left, right }];
}

function outcomeOf({ refusal }: ComparedAnswer): string {
  return refusal === undefined ? 'ok' : `refused ${refusal.code ?? 'without a code'}`;
}

/** Equal differences of an operation: those of one path and kind. */
export interface DifferenceGroup {
  readonly operation: string;
  readonly path: string;
  readonly kind: Difference['kind'];
  /** Answers that have it. */
  count: number;
  /** Milliseconds since the epoch, of the first and the last request that had it. */
  firstAt: number;
  lastAt: number;
  /** The first callers that had it. */
  readonly callers: Set<string>;
  /** The first one. */
  readonly example: Difference & { readonly reference: string };
  /** Why it may stay. */
  readonly accepted?: string;
}

/** The request whose answers were compared. */
interface ComparedRequest {
  readonly operation: string;
  readonly caller: string;
  /** When it was received: milliseconds since the epoch. */
  readonly at: number;
  readonly reference: string;
}

/** A tally as JSON. */
export interface TallySnapshot {
  readonly compared: number;
  readonly different: number;
  readonly forgotten: number;
  readonly groups: readonly (Omit<DifferenceGroup, 'callers'> & { readonly callers: readonly string[] })[];
}

const groupsMax = 1_000;
const callersMax = 20;

/** Counts differences. Beyond 1,000 groups the oldest one is forgotten, and counted as such. */
export class DifferenceTally {
  readonly #groups = new BoundedMap<string, DifferenceGroup>(groupsMax, { removed: () => (this.forgotten += 1) });
  /** Pairs of answers; those that differ, accepted differences apart. */
  compared = 0;
  different = 0;
  /** Groups that were one too many. */
  forgotten = 0;

  /** Returns whether the answers differ in what is not accepted. */
  add(
    { operation, caller, at, reference }: ComparedRequest,
    differences: readonly Difference[],
    rules: Rules,
  ): boolean {
    this.compared += 1;
    const distinct = new Map(differences.map((each) => [`${each.kind} ${each.path}`, each]));
    const groups = [...distinct.values()].map((difference): DifferenceGroup => {
      const { path, kind } = difference;
      const accepted = rules.accepted(path);
      return {
        ...{ operation, path, kind, count: 1, firstAt: at, lastAt: at, callers: new Set([caller]) },
        example: { ...difference, reference },
        ...(accepted !== undefined && { accepted }),
      };
    });
    this.merge(groups);
    const isDifferent = groups.some(({ accepted }) => accepted === undefined);
    if (isDifferent) this.different += 1;
    return isDifferent;
  }

  /** What `restore` takes, as JSON. */
  snapshot(): TallySnapshot {
    const { compared, different, forgotten } = this;
    const groups = [...this.#groups].map(([, group]) => ({ ...group, callers: [...group.callers] }));
    return { compared, different, forgotten, groups };
  }

  /** Goes on where another tally was. */
  restore({ compared, different, forgotten, groups }: TallySnapshot): void {
    this.merge(groups.map((each) => ({ ...each, callers: new Set(each.callers) })));
    Object.assign(this, { compared, different, forgotten });
  }

  /** Adds what another tally has counted. */
  merge(groups: readonly DifferenceGroup[]): void {
    for (const each of groups) {
      const group = this.#groups.getOrCreate(`${each.operation} ${each.kind} ${each.path}`, () => ({
        ...each,
        count: 0,
        callers: new Set(),
      }));
      group.count += each.count;
      group.firstAt = Math.min(group.firstAt, each.firstAt);
      group.lastAt = Math.max(group.lastAt, each.lastAt);
      for (const caller of each.callers) if (group.callers.size < callersMax) group.callers.add(caller);
    }
  }

  /** Those that are not accepted first, and of these the most frequent. */
  list(): readonly DifferenceGroup[] {
    const isAccepted = ({ accepted }: DifferenceGroup): number => Number(accepted !== undefined);
    return [...this.#groups]
      .map(([, group]) => group)
      .sort((one, other) => isAccepted(one) - isAccepted(other) || other.count - one.count);
  }
}
