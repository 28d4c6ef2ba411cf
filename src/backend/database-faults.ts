/** Finds what a gateway without a database cannot do. */
import { type Config, hasDatabase, settingWithoutDatabase } from '../config/index.ts';
import { newestOf, type Service } from '../core/contract/index.ts';
import type { UpstreamPlan } from './upstreams/plan.ts';

/** Returns what needs a database, each with its correction; nothing where there is one. */
export function databaseFaults(config: Config, plan: UpstreamPlan, services: readonly Service[]): readonly string[] {
  if (hasDatabase(config)) return [];
  const faults: string[] = [];
  const name = settingWithoutDatabase(config);
  const own = newestOf(services).flatMap(({ name, operations }) =>
    [...operations.keys()].some((operation) => plan.upstreamOf(name, operation) === undefined) ? name : [],
  );
  if (own.length > 0)
    faults.push(
      `${name}: there is no database for effects, and this program answers operations of ${own.join(', ')} itself: let an upstream answer everything, or use DATA_DIR or DATABASE_URL.`,
    );
  else if (!plan.decidesRights && plan.callers.length === 0)
    faults.push(
      `${name}: there is no database for credentials of callers: name them in callers, forward theirs to every upstream (credentials: forward), or use DATA_DIR or DATABASE_URL.`,
    );
  if (config.stateless)
    for (const upstream of upstreamsThatRepeat(plan, services))
      faults.push(
        `STATELESS: the upstream ${upstream} has idempotency none, so a retry would have its effect again: if it deduplicates, say so (--upstream-idempotency header, or idempotency), or use REDIS_STORE_URL, DATA_DIR or DATABASE_URL.`,
      );
  return faults;
}

/** Whether an upstream has the effect of every request anew, so that a lost record may double one. */
export function needsDurableRecords(plan: UpstreamPlan, services: readonly Service[]): boolean {
  return upstreamsThatRepeat(plan, services).length > 0;
}

/** The upstreams with writing operations that do not deduplicate. */
function upstreamsThatRepeat(plan: UpstreamPlan, services: readonly Service[]): readonly string[] {
  const written = new Set(
    newestOf(services).flatMap(({ name, operations }) =>
      [...operations.values()].map((each) => (each.effect === 'writes' ? plan.upstreamOf(name, each.name) : undefined)),
    ),
  );
  return plan.upstreams.flatMap(({ name, key }) => (key === undefined && written.has(name) ? name : []));
}
