/** An external updater as a process reaches it: reports the closed card, and notes the id of each question. */
import type { AccountUpdateOutcome, Updater } from '../../src/payments/recurring/account-updater/updater.ts';
import { closedCard } from '../resources/stored-detail-model.ts';
import { type Attempt, currentAttempt } from './attempt.ts';
import type { Port } from './port.ts';

/** The time-out of the real client. */
const limitMs = 1_500;

export interface UpdaterQuestion {
  readonly attempt: Attempt | undefined;
  readonly id: string;
  readonly fingerprint: string;
}

export function createSimulatedUpdater(port: Port, onQuestion: (question: UpdaterQuestion) => void): Updater {
  return {
    kind: 'http',
    check: (card, id) => {
      const attempt = currentAttempt.getStore();
      return port.call<AccountUpdateOutcome>({
        point: 'updater',
        kind: 'updater',
        limitMs,
        apply: () => {
          onQuestion({ attempt, id, fingerprint: card.fingerprint });
          return { kind: card.number() === closedCard ? 'closed' : 'unchanged' };
        },
        fail: () => {
          if (attempt !== undefined) attempt.updaterFailed = true;
          return { kind: 'pending' };
        },
      });
    },
  };
}
