/** `triglyph shopper erase`: destroys what is stored about a shopper. */
import { erase } from '../../backend/erase.ts';
import { shopperErasure } from '../../services/recurring/erase-shopper.ts';
import { systemUser } from '../audited-command.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';
import { requireCompany } from './company.ts';

export interface EraseOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Sets exit code 1 where files of the embedded store may still hold what was destroyed. */
export async function eraseShopper(
  merchantAccount: string,
  shopperReference: string,
  { dryRun: isDryRun = false, json }: EraseOptions,
): Promise<void> {
  const erasure = await withBackend(async (backend) => {
    const company = await requireCompany(backend, merchantAccount);
    const key = { company, merchantAccount, shopperReference };
    return erase(backend, shopperErasure, key, { actor: systemUser(), isDryRun });
  });
  const { isScrubbed, erased } = erasure;
  if (!isScrubbed) process.exitCode = 1;
  if (json) {
    print(JSON.stringify({ dryRun: isDryRun, ...erased, isScrubbed }));
    return;
  }
  const width = Math.max(...Object.values(labels).map((label) => label.length));
  const lines = Object.entries(erased).map(([name, rows]) => `${(labels[name] ?? name).padEnd(width)}  ${rows}`);
  print(
    ...lines,
    isDryRun ? 'Nothing was destroyed.' : 'This was destroyed.',
    'Kept until their time is over: outcomes of idempotency keys (31 days), and events that are still delivered.',
    ...(isScrubbed
      ? []
      : ['A reader was in the way: earlier pages may still be in the write-ahead log. Run it again.']),
  );
}

const labels: Readonly<Record<string, string>> = {
  shoppers: 'shopper',
  details: 'details, disabled ones included',
  changes: 'changes in histories',
  notifications: 'announcements of payments',
  announcedChanges: 'announced changes of the cards',
  checks: 'checks that wait for the account updater',
  deadLetters: 'dead letters',
  callerRequests: 'last requests of callers',
};
