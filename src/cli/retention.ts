/** `triglyph retention`: destroys now what is stored for longer than the settings allow, as servers do by themselves. */

import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { configuredRetention, runRetention } from '../backend/retention.ts';
import { retentionMs } from '../config/setting.ts';
import { fail } from './command-error.ts';
import { print } from './output.ts';
import { withBackend } from './with-backend.ts';

export function add(program: Command): void {
  const retention = program
    .command('retention')
    .description('shows how long data is stored, and destroys what is over');
  retention
    .command('show')
    .description('prints for each kind of data how long it is stored')
    .addHelpText('after', '\nExample:\n  triglyph retention show')
    .action(show);
  retention
    .command('apply')
    .description('destroys now what is over, in steps beside traffic; servers do it every few minutes')
    .option('--accept-clock', 'destroys though the clock is days away from the last time that a server has recorded')
    .addHelpText('after', '\nExample:\n  triglyph retention apply')
    .action(apply);
  retention.addHelpText('after', '\nExample:\n  triglyph retention show');
}

const dayMs = 86_400_000;

async function show(): Promise<void> {
  // Servers delete records of callers in a task of their own.
  const rules = await withBackend(async ({ tables }, config) => [
    ...configuredRetention(config, tables),
    { subject: 'callerRecord', ms: config.callerDaysMax * dayMs },
    { subject: 'auditEntry', ms: retentionMs(config.auditDaysMax) },
  ]);
  const width = Math.max(...rules.map(({ subject }) => subject.length));
  print(
    ...rules.map(
      ({ subject, ms }) => `${subject.padEnd(width)}  ${ms === undefined ? 'for ever' : `${ms / dayMs} days`}`,
    ),
  );
}

async function apply({ acceptClock }: { readonly acceptClock?: true }): Promise<void> {
  const destroyed = await withBackend(async (backend, config) => {
    const fault = acceptClock ? undefined : await backend.clockCheck.findFault();
    if (fault !== undefined) fail([fault]);
    return await runRetention(config, backend, randomUUID());
  });
  if (destroyed.length === 0) print('Nothing was over, or a server destroys it now.');
  else print(...destroyed.map(({ subject, rows }) => `${subject}  ${rows} rows destroyed`));
}
