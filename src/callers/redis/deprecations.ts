/** Deprecations and exemptions in Redis, for gateways without a database: one value, which a change replaces where its revision is the same. */
import { randomUUID } from 'node:crypto';
import type { AuditActor, AuditDetail } from '../../audit/audit-event.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { AuditedKind } from '../../audit/audited-write.ts';
import type { Clock } from '../../lib/clock-and-ids.ts';
import { compareTexts } from '../../lib/compare-texts.ts';
import {
  createDeprecationId,
  type DeprecationStore,
  describeRule,
  type Exemption,
  listText,
  nameOf,
  noSuchExemption,
  requireExemptions,
  requireSpace,
  requireUnchanged,
  type StoredDeprecation,
  type StoredDeprecations,
} from '../stored-deprecation.ts';
import type { RedisCallerParts } from './caller-records.ts';

interface Parts extends RedisCallerParts {
  readonly clock: Clock;
  readonly audit: Pick<AuditTrail, 'append'>;
}

type State = Omit<StoredDeprecations, 'revision'>;

/** What a change makes of the stored state. */
interface Changed extends State {
  readonly kind: AuditedKind;
  /** The id of the deprecation. */
  readonly subject: string;
  readonly detail: AuditDetail;
}

/**
 * Replaces the state. KEYS: 1 deprecations. ARGV: the revision that the change was made for, the next one, the id of the change, the state.
 * Returns 0 where another change came first. A change that is sent again finds its own work.
 */
const replaceScript = `
local found = redis.call('HMGET', KEYS[1], 'revision', 'change')
if found[2] == ARGV[3] then return 1 end
if (found[1] or '0') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'revision', ARGV[2], 'change', ARGV[3], 'state', ARGV[4])
return 1
`;

/** Returns the deprecations of a Redis. The audit log has a change after it was made. */
export function createRedisDeprecations({ commands, keys, clock, audit }: Parts): DeprecationStore {
  const load = async (): Promise<StoredDeprecations> => {
    const [revision, state] = await commands.run((client) => client.hmget(keys.deprecations, 'revision', 'state'));
    return { revision: Number(revision ?? 0), ...(JSON.parse(state ?? noState) as State) };
  };
  const change = async (by: AuditActor, work: (stored: StoredDeprecations, next: number) => Changed): Promise<void> => {
    const id = randomUUID();
    for (;;) {
      const stored = await load();
      const next = stored.revision + 1;
      const { deprecations, exemptions, kind, subject, detail } = work(stored, next);
      const state = JSON.stringify({ deprecations, exemptions } satisfies State);
      const parameters = [stored.revision, next, id, state];
      const isReplaced = await commands.run((client) =>
        client.eval(replaceScript, 1, keys.deprecations, ...parameters),
      );
      // Each failure is the success of another change.
      if (isReplaced !== 1) continue;
      await audit.append([{ kind, actor: by, subject, detail }]);
      return;
    }
  };
  const exempt = (exemptions: readonly Exemption[], id: string, credentials: readonly string[], by: AuditActor) => {
    const known = new Set(exemptions.flatMap((each) => (each.deprecation === id ? [each.credential] : [])));
    const added = [...new Set(credentials)].filter((credential) => !known.has(credential));
    requireExemptions(id, known.size + added.length);
    const facts = { deprecation: id, exemptedAt: clock.now(), exemptedBy: nameOf(by) };
    return [...exemptions, ...added.map((credential) => ({ ...facts, credential }))].toSorted(
      (one, other) =>
        compareTexts(one.deprecation, other.deprecation) ||
        one.exemptedAt - other.exemptedAt ||
        compareTexts(one.credential, other.credential),
    );
  };
  const describe = (id: string, rule: unknown, revision: number, by: AuditActor): StoredDeprecation => ({
    ...{ id, rule, revision, changedAt: clock.now(), changedBy: nameOf(by) },
  });
  return Object.freeze<DeprecationStore>({
    revision: async () => Number((await commands.run((client) => client.hget(keys.deprecations, 'revision'))) ?? 0),
    load,
    async add({ except = [], ...rule }, by) {
      const id = createDeprecationId();
      await change(by, ({ deprecations, exemptions }, next) => {
        requireSpace(deprecations.length);
        return {
          // A change whose answer was lost may be there, and behind another one.
          deprecations: [...deprecations.filter((each) => each.id !== id), describe(id, rule, next, by)],
          exemptions: exempt(exemptions, id, except, by),
          ...{ kind: 'deprecationAdded', subject: id },
          detail: { ...describeRule(rule), exempt: listText(except) },
        };
      });
      return id;
    },
    replace: (id, { except = [], ...rule }, by, seen) =>
      change(by, ({ deprecations, exemptions }, next) => {
        const replaced = requireUnchanged(id, findIn(deprecations, id), seen);
        return {
          deprecations: [...deprecations.filter((each) => each !== replaced), describe(id, rule, next, by)],
          exemptions: exempt(exemptions, id, except, by),
          ...{ kind: 'deprecationChanged', subject: id },
          detail: { ...describeRule(rule), exempt: listText(except) },
        };
      }),
    remove: (id, by, seen) =>
      change(by, ({ deprecations, exemptions }) => {
        const removed = requireUnchanged(id, findIn(deprecations, id), seen);
        return {
          deprecations: deprecations.filter((each) => each !== removed),
          exemptions: exemptions.filter(({ deprecation }) => deprecation !== id),
          ...{ kind: 'deprecationRemoved', subject: id },
          detail: describeRule(removed.rule),
        };
      }),
    exempt: (id, credential, by) =>
      change(by, ({ deprecations, exemptions }) => ({
        deprecations,
        exemptions: exempt(exemptions, id, [credential], by),
        ...{ kind: 'exemptionAdded', subject: id },
        detail: { credential },
      })),
    endExemption: (id, credential, by) =>
      change(by, ({ deprecations, exemptions }) => {
        const left = exemptions.filter((each) => each.deprecation !== id || each.credential !== credential);
        if (left.length === exemptions.length) throw noSuchExemption(id, credential);
        return {
          deprecations,
          exemptions: left,
          ...{ kind: 'exemptionRemoved', subject: id },
          detail: { credential },
        };
      }),
  });
}

const noState = JSON.stringify({ deprecations: [], exemptions: [] } satisfies State);

function findIn(deprecations: readonly StoredDeprecation[], id: string): StoredDeprecation | undefined {
  return deprecations.find((each) => each.id === id);
}
