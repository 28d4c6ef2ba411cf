/** Creates the limits on load: turns of callers, the pace of answers without a credential, and the counter of both. */

import { type AnswerPace, createAnswerPace } from '../callers/limits/answer-pace.ts';
import { createFairTurns, type FairTurns } from '../callers/limits/fair-turns.ts';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../http/metrics/metrics.ts';

export interface LoadLimits {
  /** Absent where each of its limits is off. */
  readonly turns: FairTurns | undefined;
  readonly pace: AnswerPace | undefined;
  readonly onConnectionRefused: () => void;
}

export function createLoadLimits(config: Config, metrics: Metrics): LoadLimits {
  const { requestsPerCredentialMax: perCallerMax, requestWaitMsMax: waitMsMax } = config;
  const { unauthenticatedPerSecondMax: perSecond } = config;
  const count = metrics.addEventCounter({
    name: 'triglyph_load_limited_total',
    help: 'Load that was limited, by kind: connections (of an address, reset), slowed (answers without a credential), atOnce (requests of a credential, 429), waiting (requests behind others of their credential, 503).',
  });
  const turns =
    perCallerMax === 0 && waitMsMax === 0 ? undefined : createFairTurns({ perCallerMax, waitMsMax, onRefused: count });
  if (turns !== undefined) metrics.waitingForTurn = () => turns.waiting;
  return {
    turns,
    pace: perSecond === 0 ? undefined : createAnswerPace({ perSecond, onSlowed: () => count('slowed') }),
    onConnectionRefused: () => count('connections'),
  };
}
