/** Lists, previews and changes deprecations for the console. */
import { credentialActor } from '../../audit/audit-event.ts';
import type { DeprecationAdmin } from '../../backend/deprecations/admin.ts';
import type { Repetition } from '../../callers/brown-out.ts';
import { compileConcern } from '../../callers/concerned.ts';
import { type DeprecationRule, describeCalls } from '../../callers/deprecation.ts';
import { stateAt } from '../../callers/deprecation-state.ts';
import type { KnownDeprecation } from '../../callers/known-deprecations.ts';
import { DeprecationRefused } from '../../callers/stored-deprecation.ts';
import { Problem } from '../../contract/problem.ts';
import type { Infer } from '../../contract/schema.ts';
import type { PortOf } from '../bind-port.ts';
import type { ConsoleContext } from '../console-context.ts';
import type { deprecationOperations } from './deprecations.ts';
import { dayMs, daysByDefault, describeUse, sumOf, totalOf, usernamesOf } from './open-records.ts';
import { callerProblems } from './problems.ts';
import type { rule } from './rule-schema.ts';

const previewMax = 200;

export function deprecationPort(
  { backend, deprecations: { source } }: ConsoleContext,
  admin: DeprecationAdmin,
): PortOf<(typeof deprecationOperations)[number]> {
  const { callerRecords, registry, context } = backend;
  const { clock } = context;
  /** Throws the problem of a rule with faults. */
  const check = async (given: Infer<typeof rule>): Promise<DeprecationRule> => {
    const faults = await admin.faultsOf(given);
    if (faults.length > 0) throw new Problem(callerProblems.invalidDeprecation, faults.join(' '));
    return given as DeprecationRule;
  };
  return {
    async listDeprecations() {
      const { valid, invalid } = await admin.list();
      const credentials = await registry.listCredentials();
      const usernames = await usernamesOf(backend);
      return {
        deprecations: valid.map((each) => describe(each, { source, usernames, now: clock.now() })),
        invalid: invalid.map(({ id, changedAt, changedBy, faults }) => ({ id, changedAt, changedBy, faults })),
        credentials: credentials.flatMap(({ id, username, tenant, revokedAt }) =>
          revokedAt === undefined ? [{ id, username, tenant }] : [],
        ),
      };
    },
    async previewDeprecation({ rule: given }) {
      const faults = await admin.faultsOf(given);
      if (faults.length > 0) return { faults, credentials: 0, requests: 0, total: 0, callers: [] };
      const concern = compileConcern(given as DeprecationRule);
      const since = clock.now() - daysByDefault * dayMs;
      const concerned = (await callerRecords.listUses(since)).flatMap((record) => {
        const found = concern(record.use);
        return found === undefined ? [] : [{ record, isExempt: found === 'exempt' }];
      });
      const binding = concerned.filter(({ isExempt }) => !isExempt);
      const shown = concerned.slice(0, previewMax);
      const days = await callerRecords.listDays(
        shown.map(({ record }) => record),
        since,
      );
      const usernames = await usernamesOf(backend);
      const callers = shown.map(({ record: { id, use, lastUsedAt }, isExempt }) => ({
        id,
        ...describeUse(use, usernames),
        client: use.client,
        lastUsedAt,
        requests: totalOf(sumOf(days.get(id) ?? [])),
        isExempt,
      }));
      return {
        faults: [],
        credentials: new Set(binding.map(({ record: { use } }) => use.credential)).size,
        requests: callers.reduce((sum, { requests, isExempt }) => sum + (isExempt ? 0 : requests), 0),
        total: concerned.length,
        callers,
      };
    },
    addDeprecation: async ({ rule: given }, by) => ({
      id: await translated(admin.add(await check(given), credentialActor(by))),
    }),
    async replaceDeprecation({ id, rule: given, seen }, by) {
      await translated(admin.replace(id, await check(given), credentialActor(by), seen));
      return { id };
    },
    async removeDeprecation({ id, seen }, by) {
      await translated(admin.remove(id, credentialActor(by), seen));
      return { id };
    },
    async exemptCaller({ id, credential }, by) {
      await translated(admin.exempt(id, credential, credentialActor(by)));
      return { id };
    },
    async endExemption({ id, credential }, by) {
      await translated(admin.endExemption(id, credential, credentialActor(by)));
      return { id };
    },
  };
}

const refusals = {
  unknown: callerProblems.deprecationNotFound,
  changed: callerProblems.deprecationChanged,
  tooMany: callerProblems.tooManyDeprecations,
} as const;

/** Throws what the store refuses as a problem of the service. */
async function translated<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (thrown) {
    if (!(thrown instanceof DeprecationRefused)) throw thrown;
    throw new Problem(refusals[thrown.reason], thrown.message);
  }
}

interface DescribeContext {
  readonly source: string;
  readonly usernames: ReadonlyMap<string, string>;
  readonly now: number;
}

function describe(
  { id, rule: known, stored, exemptions }: KnownDeprecation,
  { source, usernames, now }: DescribeContext,
) {
  const bySet = new Map(exemptions.map((each) => [each.credential, each]));
  return {
    id,
    source: stored === undefined ? source : 'store',
    isStored: stored !== undefined,
    revision: stored?.revision,
    changedAt: stored?.changedAt,
    changedBy: stored?.changedBy,
    calls: describeCalls(known),
    rule: listed(known),
    ...stateAt(known, now),
    exemptions: (known.except ?? []).map((credential) => ({
      credential,
      username: usernames.get(credential),
      exemptedAt: bySet.get(credential)?.exemptedAt,
      exemptedBy: bySet.get(credential)?.exemptedBy,
    })),
  };
}

/** The contract has lists where a configuration may have one value. Exemptions stand beside the rule. */
function listed({ except: _, ...known }: DeprecationRule): Infer<typeof rule> {
  const list = <T>(value: T | readonly T[] | undefined): T[] | undefined =>
    value === undefined ? undefined : ([value].flat() as T[]);
  return {
    ...known,
    format: list<string>(known.format),
    version: list(known.version),
    service: list(known.service),
    operation: list(known.operation),
    credential: list(known.credential),
    brownOuts: known.brownOuts?.map((each) =>
      'every' in each ? { ...each, every: each.every as Repetition } : { from: each.from, to: each.to },
    ),
  };
}
