/** The commands that show and erase shoppers. Card numbers are cut to the last four digits. */
import type { ActionCommands } from '../../../backend/index.ts';
import type { Output } from '../../../core/contract/index.ts';
import { formatSecond, isoTime } from '../../../core/lib/index.ts';
import type { shopperOperations, showShopper } from './shoppers.ts';

const operands = { merchantAccount: 'merchantAccount', shopperReference: 'shopperReference' } as const;

export const shopperCommands: ActionCommands<(typeof shopperOperations)[number]> = {
  showShopper: {
    name: 'shopper show',
    operands,
    example: 'triglyph shopper show AcmeWeb shopper-1',
    json: ({ createdAt, details, notifications }) => ({
      createdAt: isoTime(createdAt),
      details: details.map(({ createdAt: storedAt, disabledAt, changes, ...detail }) => ({
        ...detail,
        createdAt: isoTime(storedAt),
        disabledAt: disabledAt === undefined ? undefined : isoTime(disabledAt),
        changes: changes.map(({ changedAt, ...change }) => ({ changedAt: isoTime(changedAt), ...change })),
      })),
      notifications: notifications.map(({ notifiedAt, ...each }) => ({ notifiedAt: isoTime(notifiedAt), ...each })),
    }),
    text: ({ createdAt, details, notifications }) => [
      `known since ${formatSecond(createdAt)} UTC`,
      ...(details.length > 0 ? details.flatMap(formatDetail) : ['no details']),
      ...notifications.map(formatNotification),
    ],
  },
  eraseShopper: {
    name: 'shopper erase',
    operands,
    example:
      'Example:\n  triglyph shopper erase AcmeWeb shopper-1 --dry-run\n\ndocs/retention.md says what is kept, and why.',
    failed: ({ isScrubbed }) => !isScrubbed,
    json: ({ erased, isScrubbed }, { dryRun = false }) => ({
      dryRun,
      ...Object.fromEntries(erased.map(({ kind, rows }) => [kind, rows])),
      isScrubbed,
    }),
    text: ({ erased, isScrubbed }, { dryRun }) => {
      const width = Math.max(...Object.values(labels).map((label) => label.length));
      return [
        ...erased.map(({ kind, rows }) => `${(labels[kind] ?? kind).padEnd(width)}  ${rows}`),
        dryRun ? 'Nothing was destroyed.' : 'This was destroyed.',
        'Kept until their time is over: outcomes of idempotency keys (31 days), and events that are still delivered.',
        ...(isScrubbed
          ? []
          : ['A reader was in the way: earlier pages may still be in the write-ahead log. Run it again.']),
      ];
    },
  },
};

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

type Shopper = Output<typeof showShopper>;
type Detail = Shopper['details'][number];

function formatNotification(notification: Shopper['notifications'][number]): string {
  const { notifiedAt, amount, billingDate, recurringDetailReference, pspReference } = notification;
  const payment = `${amount.currency} ${amount.value}${billingDate === undefined ? '' : ` on ${billingDate}`}`;
  return `${formatSecond(notifiedAt)}  announced ${payment} with ${recurringDetailReference}  ${pspReference}`;
}

function formatDetail(detail: Detail): readonly string[] {
  const { recurringDetailReference, variant, card, contracts, changes } = detail;
  const cards = card === undefined ? [] : [formatCard(card)];
  const head = [recurringDetailReference, variant, ...cards, contracts.join(), stateOf(detail)].join('  ');
  return [head, ...changes.map(formatChange)];
}

function stateOf({ disabledAt, altered }: Detail): string {
  if (altered) return 'ALTERED in the database: refused';
  return disabledAt === undefined ? 'active' : `disabled ${formatSecond(disabledAt)}`;
}

function formatChange({
  changedAt,
  changedBy,
  pspReference,
  outcome,
  before,
  after,
}: Detail['changes'][number]): string {
  const cards = `${formatCard(before)}${after === undefined ? '' : ` -> ${formatCard(after)}`}`;
  return `  ${formatSecond(changedAt)}  ${outcome}  ${cards}  ${pspReference} by ${changedBy}`;
}

function formatCard({ lastFour, expiryMonth, expiryYear, alias }: NonNullable<Detail['card']>): string {
  return `**** ${lastFour} ${expiryMonth.padStart(2, '0')}/${expiryYear}${alias === undefined ? '' : ` (${alias})`}`;
}
