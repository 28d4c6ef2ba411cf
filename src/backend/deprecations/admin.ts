/** Lists and changes deprecations, for operators: the command line and the console. */
import type { AuditActor } from '../../audit/audit-event.ts';
import type { DeprecationRule } from '../../callers/deprecation.ts';
import { type KnownDeprecations, mergeDeprecations } from '../../callers/known-deprecations.ts';
import { DeprecationRefused, ruleLengthMax } from '../../callers/stored-deprecation.ts';
import type { Service } from '../../contract/service.ts';
import type { Backend } from '../backend.ts';
import { deprecationRuleFaults } from '../deprecation-faults.ts';

/** The methods that change something throw `DeprecationRefused`. */
export interface DeprecationAdmin {
  list(): Promise<KnownDeprecations>;
  /** Returns a sentence for each fault of a rule. */
  faultsOf(rule: unknown): Promise<readonly string[]>;
  /** Returns the id. For a rule without faults, as `replace`. */
  add(rule: DeprecationRule, by: AuditActor): Promise<string>;
  /** `seen`: the revision of the deprecation that is replaced; absent for whatever it is now. */
  replace(id: string, rule: DeprecationRule, by: AuditActor, seen?: number): Promise<void>;
  remove(id: string, by: AuditActor, seen?: number): Promise<void>;
  /** `id`: also that of a deprecation of the configuration. */
  exempt(id: string, credential: string, by: AuditActor): Promise<void>;
  endExemption(id: string, credential: string, by: AuditActor): Promise<void>;
}

export interface DeprecationAdminParts {
  readonly backend: Pick<Backend, 'deprecations' | 'registry' | 'callerRecords'>;
  /** The deprecations of the configuration. */
  readonly configured: readonly DeprecationRule[];
  /** Those that are served, in all versions. */
  readonly services: readonly Service[];
  /** Called after each change. */
  readonly onChange?: () => Promise<void>;
}

export function createDeprecationAdmin({
  backend: { deprecations, registry, callerRecords },
  configured,
  services,
  onChange = async () => {},
}: DeprecationAdminParts): DeprecationAdmin {
  const isCredential = async (id: string): Promise<boolean> =>
    (await registry.listCredentials()).some((each) => each.id === id) || (await callerRecords.hasCredential(id));
  const list = async (): Promise<KnownDeprecations> =>
    mergeDeprecations(configured, await deprecations.load(), (rule) =>
      deprecationRuleFaults(rule, 'deprecation', undefined),
    );
  const changed = async <T>(change: Promise<T>): Promise<T> => {
    const result = await change;
    await onChange();
    return result;
  };
  return Object.freeze<DeprecationAdmin>({
    list,
    async faultsOf(rule) {
      const faults = deprecationRuleFaults(rule, 'deprecation', services);
      if (faults.length > 0) return faults;
      if (JSON.stringify(rule).length > ruleLengthMax)
        return [`deprecation has more than ${ruleLengthMax} characters: make several of it.`];
      const unknown: string[] = [];
      for (const id of credentialsOf(rule as DeprecationRule)) if (!(await isCredential(id))) unknown.push(id);
      return unknown.map((id) => `deprecation: ${JSON.stringify(id)} is not the id of a credential.`);
    },
    add: (rule, by) => changed(deprecations.add(rule, by)),
    replace: (id, rule, by, seen) => changed(deprecations.replace(id, rule, by, seen)),
    remove: (id, by, seen) => changed(deprecations.remove(id, by, seen)),
    async exempt(id, credential, by) {
      const { valid, invalid } = await list();
      if (![...valid, ...invalid].some((each) => each.id === id))
        throw new DeprecationRefused('unknown', `no deprecation has the id ${id}`);
      if (!(await isCredential(credential)))
        throw new DeprecationRefused('unknown', `${JSON.stringify(credential)} is not the id of a credential`);
      await changed(deprecations.exempt(id, credential, by));
    },
    endExemption: (id, credential, by) => changed(deprecations.endExemption(id, credential, by)),
  });
}

function credentialsOf({ credential = [], except = [] }: DeprecationRule): readonly string[] {
  return [...new Set([...[credential].flat(), ...except])];
}
