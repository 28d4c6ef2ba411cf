/** What is recorded of one request while it is handled, for its details. It lives as long as the request. */
import { Problem } from '../../core/contract/index.ts';
import type { EndStep, Step, StepResult, UpstreamFacts } from '../../core/gateway/index.ts';
import type { TrafficStep, UpstreamCall } from './record.ts';

/** A step with its times on the clock of `performance.now`. */
interface RecordedStep extends Omit<TrafficStep, 'startMs' | 'name'> {
  readonly name: 'decode' | 'execute' | 'read' | 'transaction' | 'upstream';
  readonly startedAt: number;
}

/** More are not kept: an operation may run many transactions. */
const stepsMax = 50;

export class Recording {
  readonly request: Step;
  /** The format that has read the body. */
  format: string | undefined;
  readonly steps: RecordedStep[] = [];
  readonly upstream: (Omit<UpstreamCall, 'startMs'> & { readonly startedAt: number })[] = [];

  /** `request`: the first step. */
  constructor(request: Step) {
    this.request = request;
  }

  /** Records a step that begins now. Returns what is called at its end. */
  begin({ facts }: Step): EndStep {
    const startedAt = performance.now();
    return (result) => {
      const { name } = facts;
      if (name === 'request') return;
      const ms = performance.now() - startedAt;
      if (this.steps.length < stepsMax) this.steps.push({ name, startedAt, ms, isFailed: result.isFailed });
      if (name === 'decode' && !result.isFailed) this.format = facts.format;
      if (name === 'upstream' && this.upstream.length < stepsMax)
        this.upstream.push({ ...describeCall(facts, result), startedAt, ms });
    };
  }
}

function describeCall({ upstream, operation, hasKey }: UpstreamFacts, result: StepResult) {
  const { isFailed, thrown, requestReference: reference } = result;
  return { upstream, operation, hasKey, outcome: isFailed ? nameOf(thrown) : 'ok', reference };
}

/** Messages of errors may contain text of callers. */
function nameOf(thrown: unknown): string {
  if (thrown instanceof Problem) return thrown.problem;
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
