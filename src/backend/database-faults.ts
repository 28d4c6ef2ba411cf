/** Finds what a gateway without a database cannot do. */
import { type Config, hasDatabase } from '../config/config.ts';
import { newestOf, type Service } from '../contract/service.ts';
import type { UpstreamPlan } from './upstreams/plan.ts';

/** Returns what needs a database, each with its correction; nothing where there is one. */
export function databaseFaults(config: Config, plan: UpstreamPlan, services: readonly Service[]): readonly string[] {
  if (hasDatabase(config)) return [];
  const faults: string[] = [];
  const own = newestOf(services).flatMap(({ name, operations }) =>
    [...operations.keys()].some((operation) => plan.upstreamOf(name, operation) === undefined) ? name : [],
  );
  if (own.length > 0)
    faults.push(
      `REDIS_STORE_URL holds no effects, and this program answers operations of ${own.join(', ')} itself: set DATA_DIR or DATABASE_URL in its place, or let an upstream answer everything.`,
    );
  else if (!plan.decidesRights)
    faults.push(
      'REDIS_STORE_URL holds no credentials of callers: forward theirs to every upstream (credentials: forward), or set DATA_DIR or DATABASE_URL in its place.',
    );
  return faults;
}

/** Whether an upstream has the effect of every request anew, so that a lost record may double one. */
export function needsDurableRecords(plan: UpstreamPlan, services: readonly Service[]): boolean {
  const repeats = new Set(plan.upstreams.filter(({ key }) => key === undefined).map(({ name }) => name));
  return newestOf(services).some(({ name, operations }) =>
    [...operations.values()].some(
      (operation) => operation.effect === 'writes' && repeats.has(plan.upstreamOf(name, operation.name) ?? ''),
    ),
  );
}
