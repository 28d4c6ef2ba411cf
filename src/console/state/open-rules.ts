/** Reads keys, settings and the audit log for the console. */
import { auditKinds } from '../../audit/audit-event.ts';
import type { Backend } from '../../backend/backend.ts';
import type { Config } from '../../config/config.ts';
import { settings } from '../../config/settings.ts';
import { redact } from '../../lib/redact.ts';
import type { PortOf } from '../bind-port.ts';
import type { ruleOperations } from './rules.ts';

export type RulePort = PortOf<(typeof ruleOperations)[number]>;

const pageSize = 50;

export function rulePort(config: Config, backend: Backend): RulePort {
  const { auditLog } = backend;
  return {
    async listKeys({ countRows = false }) {
      const rows = countRows ? await backend.rotation.count() : undefined;
      const found = keysOf(backend, rows === undefined ? [] : [...rows.keys()]);
      return {
        source: redact(sourceOfKeys(config)),
        keys: await Promise.all(
          found.map(async (key) => ({
            ...key,
            usedSince: await findFirstUse(backend, key.id),
            rows: key.kind === 'wrapping' ? rows && (rows.get(key.id) ?? 0) : undefined,
          })),
        ),
      };
    },
    listSettings: async () => ({
      settings: config.reports.map(({ name, value, unit, source, doc, isSecret }) => ({
        name,
        // `value` is hidden already where it is secret and set.
        value: isSecret && value !== '(none)' ? '(hidden)' : redact(value),
        unit,
        source: redact(source),
        isDefault: source === 'default',
        doc,
      })),
    }),
    async listAuditEntries({ max = pageSize, ...filter }) {
      const found = await auditLog.list({ ...filter, max: max + 1 });
      const newestFirst = found.toReversed();
      return {
        isRecorded: config.audit,
        kinds: auditKinds,
        entries: newestFirst.slice(0, max).map(({ mac: _, ...entry }) => entry),
        hasMore: newestFirst.length > max,
      };
    },
    async verifyAuditLog() {
      const { entries = 0, faults = [] } = (await auditLog.verify()) ?? {};
      return { isWhole: faults.length === 0, entries, faults };
    },
  };
}

interface ListedKey {
  readonly id: string;
  readonly kind: 'wrapping' | 'index' | 'pepper';
  readonly state: 'current' | 'old' | 'next' | 'missing';
}

/** `named`: the wrapping keys that rows name. */
function keysOf(backend: Backend, named: readonly string[]): readonly ListedKey[] {
  const { rotation, indexRotation, pepperRotation } = backend;
  const { current, ids } = rotation.wrapping;
  const other = (kind: 'index' | 'pepper', state: 'old' | 'next' | undefined): readonly ListedKey[] =>
    state === undefined ? [] : [{ id: `${kind}-${state}`, kind, state }];
  return [
    ...ids.map((id): ListedKey => ({ id, kind: 'wrapping', state: id === current ? 'current' : 'old' })),
    ...named.filter((id) => !ids.includes(id)).map((id): ListedKey => ({ id, kind: 'wrapping', state: 'missing' })),
    { id: 'index', kind: 'index', state: 'current' },
    ...other('index', indexRotation.state),
    { id: 'pepper', kind: 'pepper', state: 'current' },
    ...other('pepper', pepperRotation.state),
  ];
}

async function findFirstUse({ auditLog }: Backend, id: string): Promise<number | undefined> {
  return (await auditLog.list({ kind: 'keyUsed', subject: id, max: 1 }))[0]?.recordedAt;
}

function sourceOfKeys({ keyFile, kmsUrl, reports }: Config): string {
  const source = reports.find(({ name }) => name === settings.keys.name)?.source ?? '';
  const from = keyFile ?? source;
  return kmsUrl === undefined ? from : `${from}, wrapped by the key management service at ${kmsUrl}`;
}
