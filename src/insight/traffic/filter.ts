/** Selects lines of traffic: by format, operation, version, caller and outcome. */
import type { TrafficLine } from './record.ts';

export interface TrafficFilter {
  readonly format?: string | undefined;
  readonly operation?: string | undefined;
  readonly version?: number | undefined;
  readonly caller?: string | undefined;
  /** `ok`, `refused`, `failed`, `replayed`, or the name of a problem. */
  readonly outcome?: string | undefined;
  /** The reference of the request. */
  readonly reference?: string | undefined;
}

export function matches(line: TrafficLine, filter: TrafficFilter): boolean {
  const { format, operation, version, caller, outcome, reference } = filter;
  return (
    (format === undefined || line.format === format) &&
    (operation === undefined || line.operation === operation) &&
    (version === undefined || line.version === version) &&
    (caller === undefined || line.caller === caller) &&
    (reference === undefined || line.reference === reference) &&
    (outcome === undefined || hasOutcome(line, outcome))
  );
}

function hasOutcome(line: TrafficLine, wanted: string): boolean {
  switch (wanted) {
    case 'replayed':
      return line.key === 'replayed';
    case 'failed':
      return line.isFailure;
    case 'refused':
      return line.outcome !== 'ok' && line.outcome !== 'notModified' && !line.isFailure;
    default:
      return line.outcome === wanted;
  }
}
