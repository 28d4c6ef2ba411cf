/** `triglyph deprecations add`, `change` and `remove`. */

import type { Backend } from '../../backend/backend.ts';
import { createDeprecationAdmin, type DeprecationAdmin } from '../../backend/deprecations/admin.ts';
import { compileConcern } from '../../callers/concerned.ts';
import { type DeprecationRule, describeCalls } from '../../callers/deprecation.ts';
import { DeprecationRefused } from '../../callers/stored-deprecation.ts';
import { clock } from '../../lib/clock.ts';
import { systemUser } from '../audited-command.ts';
import { formatCall, formatTable } from '../callers/columns.ts';
import { CommandError, fail } from '../command-error.ts';
import { formatMinute, print, printAll } from '../output.ts';
import { projectDeprecations } from '../project.ts';
import { servedServices } from '../project-upstreams.ts';
import { withBackend } from '../with-backend.ts';
import { type CredentialNames, type RuleOptions, ruleOf } from './rule-options.ts';

interface SetOptions extends RuleOptions {
  readonly dryRun?: boolean;
}

export async function addDeprecation({ dryRun, ...options }: SetOptions): Promise<void> {
  await withAdmin(async (admin, backend) => {
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    const rule = ruleOf(options, { deprecatedSince: today }, await credentialNames(backend));
    fail(await admin.faultsOf(rule));
    if (dryRun) return preview(rule as DeprecationRule, backend);
    print(`${await admin.add(rule as DeprecationRule, systemUser())} is added: ${describe(rule)}`);
  });
}

export async function changeDeprecation(id: string, { dryRun, ...options }: SetOptions): Promise<void> {
  if (Object.keys(options).length === 0)
    throw new CommandError(['name a change: `triglyph deprecations change --help` lists the options']);
  await withAdmin(async (admin, backend) => {
    const { valid } = await admin.list();
    const before = valid.find((each) => each.id === id);
    if (before === undefined)
      throw new CommandError([`no deprecation has the id ${id}: \`deprecations list\` prints them`]);
    if (before.stored === undefined)
      throw new CommandError([`${id} is one of the configuration file: change it there`]);
    const rule = ruleOf(options, before.rule, await credentialNames(backend));
    fail(await admin.faultsOf(rule));
    if (dryRun) return preview(rule as DeprecationRule, backend);
    await admin.replace(id, rule as DeprecationRule, systemUser(), before.stored.revision);
    print(`${id} is changed: ${describe(rule)}`);
  });
}

export async function removeDeprecation(id: string): Promise<void> {
  await withAdmin(async (admin) => {
    const { valid } = await admin.list();
    if (valid.some((each) => each.id === id && each.stored === undefined))
      throw new CommandError([`${id} is one of the configuration file: remove it there`]);
    await admin.remove(id, systemUser());
    print(`${id} is removed.`);
  });
}

/** Throws CommandError for what the store refuses. */
export async function withAdmin(work: (admin: DeprecationAdmin, backend: Backend) => Promise<void>): Promise<void> {
  await withBackend(async (backend) => {
    const admin = createDeprecationAdmin({ backend, configured: projectDeprecations(), services: servedServices() });
    try {
      await work(admin, backend);
    } catch (thrown) {
      if (!(thrown instanceof DeprecationRefused)) throw thrown;
      throw new CommandError([thrown.message]);
    }
  });
}

export async function credentialNames({ registry }: Pick<Backend, 'registry'>): Promise<CredentialNames> {
  return new Map((await registry.listCredentials()).flatMap(({ id, username }) => (username ? [[username, id]] : [])));
}

function describe(rule: Partial<DeprecationRule>): string {
  return describeCalls(rule as DeprecationRule);
}

const previewDays = 30;
const dayMs = 24 * 60 * 60 * 1000;

async function preview(rule: DeprecationRule, { callerRecords, registry }: Backend): Promise<void> {
  const concern = compileConcern(rule);
  const usernames = new Map((await registry.listCredentials()).map(({ id, username }) => [id, username]));
  const concerned = (await callerRecords.list(clock.now() - previewDays * dayMs)).flatMap((record) => {
    const found = concern(record.use);
    return found === undefined ? [] : [{ ...record, isExempt: found === 'exempt' }];
  });
  if (concerned.length === 0)
    return print(`It concerns no caller of the last ${previewDays} days. Nothing is changed.`);
  printAll(
    formatTable(concerned, {
      ID: ({ id }) => id,
      'LAST USED': ({ lastUsedAt }) => formatMinute(lastUsedAt),
      CREDENTIAL: ({ use: { credential } }) => usernames.get(credential) ?? (credential || '-'),
      CALL: ({ use }) => formatCall(use),
      FORMAT: ({ use: { format } }) => format,
      REQUESTS: ({ succeeded, refused, failed, switchedOff }) => succeeded + refused + failed + switchedOff,
      EXEMPT: ({ isExempt }) => (isExempt ? 'yes' : '-'),
    }),
  );
  print('Nothing is changed.');
}
