/** What a deprecation means for its calls at a moment. */
import { compileBrownOut } from './brown-out.ts';
import type { DeprecationRule } from './deprecation.ts';

export interface DeprecationState {
  readonly state: /** Its calls are deprecated at a later time, which answers already say. */
    | 'scheduled'
    /** Its calls are served, and answers say that they are deprecated. */
    | 'announced'
    /** Its calls are refused until the moment. */
    | 'brownOut'
    /** Its calls are refused for good. */
    | 'retired';
  /** The end of a brown-out, in milliseconds since the epoch. */
  readonly until?: number;
}

export function stateAt(rule: DeprecationRule, now: number): DeprecationState {
  const { deprecatedSince, sunset, refuseAfterSunset, brownOuts = [] } = rule;
  if (refuseAfterSunset && sunset !== undefined && Date.parse(sunset) <= now) return { state: 'retired' };
  for (const brownOut of brownOuts) {
    const until = compileBrownOut(brownOut)(now);
    if (until !== undefined) return { state: 'brownOut', until };
  }
  return { state: now < Date.parse(deprecatedSince) ? 'scheduled' : 'announced' };
}
