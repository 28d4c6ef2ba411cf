/** What operators see of the account updater in the console. */
import type { Panel, PanelFact } from '../../../backend/index.ts';
import { redact } from '../../../core/lib/index.ts';
import { type Store, statement } from '../../../stores/index.ts';
import type { AccountUpdaterOptions } from './account-updater.ts';
import { batchFile, batchResponse, batchWait, updaterCheck } from './job-kinds.ts';

/** The checks of a kind that have no outcome yet. */
type WaitingRow = {
  readonly kind: string;
  readonly checks: number;
  readonly oldest_ms: number;
  readonly overdue: number;
};

const countWaiting = statement<WaitingRow>(
  'count-checks-of-updater',
  `select kind, count(*) as checks, max(now_ms() - created_at) as oldest_ms,
     count(case when kind = '${batchResponse}' and due_at <= now_ms() then 1 end) as overdue
   from job where kind in ('${updaterCheck}', '${batchWait}', '${batchResponse}', '${batchFile}') and dead_since is null
   group by kind`,
);

const countAnnounced = statement<{ readonly cards: number }>(
  'count-announced-changes',
  'select count(*) as cards from announced_change',
);

const noun: Readonly<Record<string, string>> = {
  [updaterCheck]: 'Checks that are asked for again',
  [batchWait]: 'Checks that wait for a file',
  [batchResponse]: 'Checks that wait for a response',
  [batchFile]: 'Files to be written',
};

type PanelOptions = Pick<AccountUpdaterOptions, 'updater' | 'updaterUrl' | 'updaterFolder'>;

export function createUpdaterPanel(options: PanelOptions, store: Pick<Store, 'read'>): Panel {
  return Object.freeze<Panel>({
    name: 'account-updater',
    title: 'Account updater',
    doc: 'Who is asked about cards that were renewed, replaced or closed, and what waits for an outcome.',
    read: () =>
      store.read(async (tx) => {
        const waiting = await tx.query(countWaiting, []);
        const [announced] = await tx.query(countAnnounced, []);
        return [
          ...configured(options),
          { name: 'Announced cards', value: String(announced?.cards ?? 0) },
          ...waiting.map(waitingFact),
        ];
      }),
  });
}

function configured({ updater, updaterUrl, updaterFolder }: PanelOptions): readonly PanelFact[] {
  return [
    { name: 'Kind', value: updater },
    ...(updaterUrl === undefined ? [] : [{ name: 'Address', value: redact(withoutQuery(updaterUrl)) }]),
    ...(updaterFolder === undefined ? [] : [{ name: 'Folder', value: updaterFolder }]),
  ];
}

function waitingFact({ kind, checks, oldest_ms: oldestMs, overdue }: WaitingRow): PanelFact {
  const age = `the oldest for ${Math.round(oldestMs / 60_000)} minutes`;
  const late = overdue > 0 ? `, ${overdue} without a response in time` : '';
  return { name: noun[kind] ?? kind, value: `${checks}, ${age}${late}`, ...(overdue > 0 && { needsAttention: true }) };
}

/** The query may hold a secret. */
function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}
