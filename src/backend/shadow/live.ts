/** The shadows of a serving process: opens them, counts what they answer, and polls the shares and acceptances of the store. */
import { gatewayActor } from '../../access/index.ts';
import { anyText, type MaskSecrets } from '../../core/contract/index.ts';
import type { RequestObserver } from '../../core/gateway/index.ts';
import type { Clock } from '../../core/lib/index.ts';
import {
  type ComparedCopy,
  type Difference,
  DifferenceTally,
  Shadow,
  type ShadowEvent,
  type Share,
  type SwitchCounts,
  whyRollBack,
} from '../../forward/index.ts';
import { type Log, logFailure, type ShadowMetrics } from '../../http/index.ts';
import type { UpstreamPlan } from '../upstreams/plan.ts';
import type { ConfiguredShadow } from '../upstreams/read-shadow.ts';
import type { Copies } from './open-copies.ts';
import { differenceId, type ShadowState, type ShadowStore } from './store.ts';

/** On average. Every serving process knows of a change within one and a half times as long. */
export const pollShadowsEveryMs = 1_000;

interface LiveShadowParts {
  readonly store: Pick<ShadowStore, 'revision' | 'load' | 'add' | 'switchBack' | 'changeCounts'>;
  readonly clock: Clock;
  readonly mask: MaskSecrets;
  readonly log: Log;
  readonly metrics: ShadowMetrics;
}

/** A shadow of this process, and what it has found since the last time that it was stored. */
interface LiveShadow {
  readonly shadow: Shadow;
  readonly configured: ConfiguredShadow;
  tally: DifferenceTally;
  /** Why the switch is rolled back, until the store knows. */
  rollingBack: string | undefined;
}

const nothing: ShadowState = { revision: 0, shares: [], accepted: new Set() };

export class LiveShadows {
  readonly #parts: LiveShadowParts;
  readonly #shadows = new Map<string, LiveShadow>();
  #state = nothing;
  #shares: ReadonlyMap<string, readonly Share[]> = new Map();
  #isLoaded = false;
  #isFailing = false;
  #running: Promise<void> = Promise.resolve();

  constructor(plan: Pick<UpstreamPlan, 'shadows'>, copies: Pick<Copies, 'sendTo' | 'mayCopy'>, parts: LiveShadowParts) {
    this.#parts = parts;
    for (const [name, configured] of plan.shadows) {
      const shadow = new Shadow(configured, {
        ...parts,
        rulesOf: configured.rulesOf,
        shares: () => this.#shares.get(name) ?? [],
        sendCopy: copies.sendTo(name),
        mayCopy: copies.mayCopy,
        report: (event) => this.#report(name, event),
        changeCounts: (change) => parts.store.changeCounts(name, change),
        rollBack: (why) => this.#beginRollback(name, why),
      });
      this.#shadows.set(name, { shadow, configured, tally: new DifferenceTally(), rollingBack: undefined });
    }
    parts.metrics.observe(() =>
      [...this.#shadows].map(([upstream, { shadow, configured }]) => ({
        upstream,
        ...shadow.state,
        answered: this.#shareOfAll(upstream, 'answered') ?? 0,
        copied: this.#shareOfAll(upstream, 'copied') ?? configured.percent,
      })),
    );
  }

  /** Absent where there is no shadow. */
  get observer(): RequestObserver | undefined {
    if (this.#shadows.size === 0) return undefined;
    const all = [...this.#shadows.values()].map(({ shadow }) => shadow);
    return {
      answered(request, _answer, { bytesIn, bytesOut }) {
        for (const shadow of all) shadow.answered(request.headers, bytesIn + bytesOut);
      },
    };
  }

  find(upstream: string): Shadow | undefined {
    return this.#shadows.get(upstream)?.shadow;
  }

  /** Stores what was found, and takes over what the store holds. Rejects where the store does not answer: what was known before still holds. */
  readonly refresh = (): Promise<void> => {
    const next = this.#running.then(() => this.#exchange());
    this.#running = next.catch(() => {});
    return next;
  };

  /** Reports the failure of a poll. */
  readonly failed = (cause: unknown): void => {
    if (!this.#isFailing)
      logFailure(this.#parts.log, cause, 'reading the state of shadows failed: the earlier one holds');
    this.#isFailing = true;
  };

  /** Lets copies on the way end, and stores what was found. */
  async close(): Promise<void> {
    await Promise.all([...this.#shadows.values()].map(({ shadow }) => shadow.close()));
    await this.refresh().catch(this.failed);
  }

  #shareOfAll(upstream: string, kind: 'copied' | 'answered'): number | undefined {
    return this.#shares.get(upstream)?.find(({ operation, caller }) => operation === '' && caller === '')?.[kind];
  }

  async #exchange(): Promise<void> {
    if (this.#shadows.size === 0) return;
    const { store } = this.#parts;
    for (const [upstream, live] of this.#shadows) {
      await this.#storeFound(upstream, live);
      if (live.rollingBack === undefined) continue;
      const isDue = (counts: SwitchCounts): boolean => whyRollBack(counts, live.configured.rollback) !== undefined;
      if (await store.switchBack(upstream, gatewayActor, live.rollingBack, isDue))
        this.#parts.metrics.rolledBack(upstream);
      // Another gateway has done so, or an operator has switched anew.
      else live.shadow.restart();
      live.rollingBack = undefined;
    }
    await this.#takeOver();
    for (const { shadow } of this.#shadows.values()) await shadow.flush();
  }

  async #takeOver(): Promise<void> {
    const { store } = this.#parts;
    const isChanged = !this.#isLoaded || (await store.revision()) !== this.#state.revision;
    const state = isChanged ? await store.load() : undefined;
    this.#isFailing = false;
    if (state === undefined) return;
    this.#isLoaded = true;
    this.#state = state;
    this.#shares = Map.groupBy(state.shares, ({ upstream }) => upstream);
    for (const { shadow, rollingBack } of this.#shadows.values()) if (rollingBack === undefined) shadow.restart();
  }

  async #storeFound(upstream: string, live: LiveShadow): Promise<void> {
    const { tally } = live;
    const groups = tally.list();
    if (groups.length === 0) return;
    live.tally = new DifferenceTally();
    const refused = await this.#parts.store.add(upstream, groups).catch((thrown: unknown) => {
      live.tally.merge(groups);
      throw thrown;
    });
    if (refused + tally.forgotten > 0) this.#parts.metrics.unlisted(upstream, refused + tally.forgotten);
  }

  #report(upstream: string, event: ShadowEvent): boolean {
    const { metrics } = this.#parts;
    const { kind, operation } = event;
    switch (kind) {
      case 'copied':
        metrics.copied(upstream, operation);
        return false;
      case 'dropped':
        metrics.dropped(upstream, operation);
        return false;
      case 'failed':
        metrics.failed(upstream, operation, event.reason);
        return false;
      case 'compared':
        return this.#compare(upstream, event);
      default:
        return kind satisfies never;
    }
  }

  #compare(upstream: string, copy: ComparedCopy): boolean {
    const { operation, differences } = copy;
    const { metrics } = this.#parts;
    const live = this.#shadows.get(upstream);
    if (differences.length === 0 || live === undefined) {
      metrics.compared(upstream, operation, 'same');
      return false;
    }
    const rules = live.configured.rulesOf(operation.slice(operation.indexOf('.') + 1));
    live.tally.add(copy, differences.map(this.#maskTexts), rules);
    const differs = differences.some(
      ({ kind, path }) =>
        rules.accepted(path) === undefined && !this.#state.accepted.has(differenceId(upstream, operation, kind, path)),
    );
    metrics.compared(upstream, operation, differs ? 'differing' : 'accepted');
    return differs;
  }

  /** The process of copies masks what the contract calls sensitive, and knows no secrets in free texts. */
  readonly #maskTexts = ({ left, right, ...place }: Difference): Difference => {
    const shown = (value: unknown): unknown => {
      if (typeof value === 'string') return this.#parts.mask(anyText, value);
      if (Array.isArray(value)) return value.map(shown);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(each)]));
    };
    return {
      ...place,
      ...(left !== undefined && { left: shown(left) }),
      ...(right !== undefined && { right: shown(right) }),
    };
  };

  #beginRollback(upstream: string, why: string): void {
    const live = this.#shadows.get(upstream);
    if (live === undefined) return;
    live.rollingBack = why;
    this.#parts.log.write('error', 'a switch is rolled back: its upstream answers again', { upstream, why });
    // A store that fails now is asked again by the next poll. This process is back in any case.
    this.refresh().catch(this.failed);
  }
}
