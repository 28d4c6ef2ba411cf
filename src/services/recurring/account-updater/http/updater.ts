/** The updater behind a URL: asked in the time of a request, once more where that helps, and left alone while it is down. */
import { setTimeout } from 'node:timers/promises';
import { Problem } from '../../../../contract/problem.ts';
import { jsonReader } from '../../../../import/jsonl.ts';
import { reasonsOf } from '../../../../import/row.ts';
import { ask, closedBreaker, failed, isOpen, succeeded } from '../../../../lib/circuit-breaker.ts';
import type { Clock } from '../../../../lib/clock-and-ids.ts';
import type { Vault } from '../../../../vault/ports.ts';
import type { UpdaterEvents } from '../events.ts';
import { parseUpdaterResponse } from '../parse-response.ts';
import type { AccountUpdateOutcome, CheckedCard, HttpUpdater } from '../updater.ts';
import { type UpdateAnswer, updateAnswer } from '../updater-response.ts';
import { type Exchanged, exchange } from './exchange.ts';

export interface HttpUpdaterOptions {
  readonly url: string;
  /** Sent as a bearer token. */
  readonly secret: string | undefined;
  /** For a question with its second try. */
  readonly msMax: number;
}

export interface HttpUpdaterParts {
  readonly clock: Clock;
  readonly vault: Vault;
  readonly watch: UpdaterEvents;
}

const pending: AccountUpdateOutcome = Object.freeze({ kind: 'pending' });

/** Before the second try: a connection that was closed, or a node that was stopped, is soon another one. */
const pauseMs = (): number => 20 + 80 * Math.random();
/** With less time left it is no use to try again. */
const tryMsMin = 100;

const readAnswer = jsonReader<UpdateAnswer>(updateAnswer);

const print = ({ expiry: { expiryMonth, expiryYear } }: CheckedCard, number: string): string =>
  JSON.stringify({ number, expiryMonth, expiryYear });

export const httpUpdater = (
  { url, secret, msMax }: HttpUpdaterOptions,
  { clock, vault, watch }: HttpUpdaterParts,
): HttpUpdater => {
  let breaker = closedBreaker;

  const note = (came: Exchanged): void => {
    const before = isOpen(breaker);
    breaker = came.kind === 'failed' ? failed(breaker, clock.now()) : succeeded();
    if (came.kind !== 'answered') watch.emit(came);
    if (isOpen(breaker) === before) return;
    watch.emit(came.kind === 'failed' ? { kind: 'down', reason: came.reason } : { kind: 'up' });
  };

  const mayAsk = (): boolean => {
    const asked = ask(breaker, clock.now());
    breaker = asked.breaker;
    if (!asked.may) watch.emit({ kind: 'skipped' });
    return asked.may;
  };

  const told = (bytes: Parameters<typeof readAnswer>[0], card: CheckedCard, check: string): AccountUpdateOutcome => {
    const read = readAnswer(bytes);
    try {
      if ('reasons' in read) {
        watch.emit({ kind: 'malformed', check, reasons: read.reasons });
        return pending;
      }
      const fate = parseUpdaterResponse(read.row, card, vault);
      watch.emit({ kind: fate.kind === 'pending' ? 'pending' : 'told', checks: 1 });
      return fate;
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      watch.emit({ kind: 'malformed', check, reasons: reasonsOf(thrown) });
      return pending;
    }
  };

  return Object.freeze<HttpUpdater>({
    kind: 'asked',
    async ask(card, id) {
      const body = print(card, card.number());
      const until = performance.now() + msMax;
      for (const isLast of [false, true]) {
        if (!mayAsk()) return pending;
        const came = await exchange({
          url,
          secret,
          id,
          body,
          msMax: Math.max(1, Math.ceil(until - performance.now())),
        });
        note(came);
        if (came.kind === 'answered') return told(came.bytes, card, id);
        const pause = pauseMs();
        if (isLast || came.kind === 'refused' || until - performance.now() - pause < tryMsMin) return pending;
        await setTimeout(pause);
      }
      return pending;
    },
  });
};
