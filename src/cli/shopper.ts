/** `triglyph shopper`: the stored details of a shopper and their changes, and their erasure. Card numbers are cut to the last four digits. */
import type { Command } from 'commander';
import {
  CardChangeReader,
  type DetailHistory,
  type ShopperHistory,
} from '../services/recurring/account-updater/store/card-changes.ts';
import type { CardSnapshot, DetailChange } from '../services/recurring/details.ts';
import { NotificationReader, type ShopperNotification } from '../services/recurring/shopper-notifications/store.ts';
import { CommandError } from './command-error.ts';
import { formatSecond, print } from './output.ts';
import { requireCompany } from './shopper/company.ts';
import type { EraseOptions } from './shopper/erase.ts';
import { withBackend } from './with-backend.ts';

export function add(program: Command): void {
  const shopper = program
    .command('shopper')
    .description('prints the stored details of a shopper, or erases the shopper');
  const example = '\nExample:\n  triglyph shopper show AcmeWeb shopper-1';
  shopper
    .command('show')
    .argument('<merchantAccount>', 'the merchant account')
    .argument('<shopperReference>', 'the shopperReference of requests')
    .option('--json', 'prints JSON')
    .description(
      'prints the details of a shopper, disabled ones included, the changes by the account updater, and announced payments',
    )
    .addHelpText('after', example)
    .action(showShopper);
  shopper
    .command('erase')
    .argument('<merchantAccount>', 'the merchant account')
    .argument('<shopperReference>', 'the shopperReference of requests')
    .option('--dry-run', 'counts what would be destroyed, and destroys nothing')
    .option('--json', 'prints JSON')
    .description('destroys what is stored about a shopper, for good; servers may be running')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph shopper erase AcmeWeb shopper-1 --dry-run\n\ndocs/retention.md says what is kept, and why.',
    )
    .action(async (merchantAccount: string, shopperReference: string, options: EraseOptions) =>
      (await import('./shopper/erase.ts')).eraseShopper(merchantAccount, shopperReference, options),
    );
  shopper.addHelpText('after', example);
}

async function showShopper(
  merchantAccount: string,
  shopperReference: string,
  { json }: { readonly json?: boolean },
): Promise<void> {
  const history = await withBackend(async (backend) => {
    const company = await requireCompany(backend, merchantAccount);
    const shopper = { company, merchantAccount, shopperReference };
    return backend.store.read(async (tx) => {
      const found = await tx.repository(CardChangeReader).findHistory(shopper);
      return found && { ...found, notifications: await tx.repository(NotificationReader).find(shopper) };
    });
  });
  if (history === undefined) throw new CommandError([`${merchantAccount} has no shopper of this reference`]);
  print(json ? formatJson(history) : formatText(history));
}

type History = ShopperHistory & { readonly notifications: readonly ShopperNotification[] };

/** Names every printed member: holder names, accounts and free text stay in the store. */
function formatJson({ createdAt, details, notifications }: History): string {
  return JSON.stringify({
    createdAt: new Date(createdAt).toISOString(),
    details: details.map((detail) => ({
      recurringDetailReference: detail.recurringDetailReference,
      variant: detail.publicData.variant,
      card: cardOf(detail),
      contracts: detail.contracts,
      createdAt: new Date(detail.createdAt).toISOString(),
      altered: detail.altered,
      disabledAt: detail.disabledAt === undefined ? undefined : new Date(detail.disabledAt).toISOString(),
      changes: detail.changes.map(({ recurringDetailReference: _, changedAt, ...change }) => ({
        changedAt: new Date(changedAt).toISOString(),
        ...change,
      })),
    })),
    notifications: notifications.map(
      ({ notifiedAt, pspReference, recurringDetailReference, shopperNotificationReference, amount, billingDate }) => ({
        notifiedAt: new Date(notifiedAt).toISOString(),
        ...{ pspReference, recurringDetailReference, shopperNotificationReference, amount, billingDate },
      }),
    ),
  });
}

function formatText({ createdAt, details, notifications }: History): string {
  const lines = details.length > 0 ? details.map(formatDetail) : ['no details'];
  return [`known since ${formatSecond(createdAt)} UTC`, ...lines, ...notifications.map(formatNotification)].join('\n');
}

function formatNotification(notification: ShopperNotification): string {
  const { notifiedAt, amount, billingDate, recurringDetailReference, pspReference } = notification;
  const payment = `${amount.currency} ${amount.value}${billingDate === undefined ? '' : ` on ${billingDate}`}`;
  return `${formatSecond(notifiedAt)}  announced ${payment} with ${recurringDetailReference}  ${pspReference}`;
}

function formatDetail(detail: DetailHistory): string {
  const { recurringDetailReference, contracts, publicData, changes } = detail;
  const card = cardOf(detail);
  const head = [
    recurringDetailReference,
    publicData.variant,
    ...(card === undefined ? [] : [formatCard(card)]),
    contracts.join(),
    stateOf(detail),
  ].join('  ');
  return [head, ...changes.map(formatChange)].join('\n');
}

function stateOf({ disabledAt, altered }: DetailHistory): string {
  if (altered) return 'ALTERED in the database: refused';
  return disabledAt === undefined ? 'active' : `disabled ${formatSecond(disabledAt)}`;
}

function formatChange({ changedAt, changedBy, pspReference, outcome, before, after }: DetailChange): string {
  const cards = `${formatCard(before)}${after === undefined ? '' : ` -> ${formatCard(after)}`}`;
  return `  ${formatSecond(changedAt)}  ${outcome}  ${cards}  ${pspReference} by ${changedBy}`;
}

function formatCard({ lastFour, expiryMonth, expiryYear, alias }: CardSnapshot): string {
  return `**** ${lastFour} ${expiryMonth.padStart(2, '0')}/${expiryYear}${alias === undefined ? '' : ` (${alias})`}`;
}

function cardOf({ publicData: { alias, card } }: DetailHistory): CardSnapshot | undefined {
  return card && { alias, expiryMonth: card.expiryMonth, expiryYear: card.expiryYear, lastFour: card.number };
}
