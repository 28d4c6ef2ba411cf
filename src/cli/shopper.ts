/** `triglyph shopper`: what is known of a shopper, for the one who runs the house; card numbers by their last four digits. */
import type { Command } from 'commander';
import {
  CardChangeReader,
  type DetailHistory,
  type ShopperHistory,
} from '../services/recurring/account-updater/store/card-changes.ts';
import type { CardSnapshot, DetailChange } from '../services/recurring/details.ts';
import { CommandError } from './command-error.ts';
import { formatSecond, print } from './output.ts';
import { withBackend } from './with-backend.ts';

const cardText = ({ lastFour, expiryMonth, expiryYear, alias }: CardSnapshot): string =>
  `**** ${lastFour} ${expiryMonth.padStart(2, '0')}/${expiryYear}${alias === undefined ? '' : ` (${alias})`}`;

const changeText = ({ changedAt, changedBy, pspReference, outcome, before, after }: DetailChange): string =>
  `  ${formatSecond(changedAt)}  ${outcome}  ${cardText(before)}${after === undefined ? '' : ` -> ${cardText(after)}`}  ${pspReference} by ${changedBy}`;

const cardOf = ({ open: { alias, card } }: DetailHistory): CardSnapshot | undefined =>
  card && { alias, expiryMonth: card.expiryMonth, expiryYear: card.expiryYear, lastFour: card.number };

const detailText = (detail: DetailHistory): string => {
  const { recurringDetailReference, contracts, open, disabledAt, changes } = detail;
  const card = cardOf(detail);
  const head = [
    recurringDetailReference,
    open.variant,
    ...(card === undefined ? [] : [cardText(card)]),
    contracts.join(),
    disabledAt === undefined ? 'active' : `disabled ${formatSecond(disabledAt)}`,
  ].join('  ');
  return [head, ...changes.map(changeText)].join('\n');
};

/** Nothing but what is listed here leaves the store: holders, accounts and free text stay there. */
const asJson = ({ createdAt, details }: ShopperHistory): string =>
  JSON.stringify({
    createdAt: new Date(createdAt).toISOString(),
    details: details.map((detail) => ({
      recurringDetailReference: detail.recurringDetailReference,
      variant: detail.open.variant,
      card: cardOf(detail),
      contracts: detail.contracts,
      createdAt: new Date(detail.createdAt).toISOString(),
      disabledAt: detail.disabledAt === undefined ? undefined : new Date(detail.disabledAt).toISOString(),
      changes: detail.changes.map(({ recurringDetailReference: _known, changedAt, ...change }) => ({
        changedAt: new Date(changedAt).toISOString(),
        ...change,
      })),
    })),
  });

const asText = ({ createdAt, details }: ShopperHistory): string =>
  [
    `known since ${formatSecond(createdAt)} UTC`,
    ...(details.length > 0 ? details.map(detailText) : ['no details']),
  ].join('\n');

const show = async (
  merchantAccount: string,
  shopperReference: string,
  { json }: { readonly json?: boolean },
): Promise<void> => {
  const shopper = await withBackend(async ({ registry, store: details }) => {
    const company = await registry.findCompany(merchantAccount);
    if (company === undefined) throw new CommandError([`${merchantAccount}: there is no such merchant account`]);
    return details.read((tx) =>
      tx.repository(CardChangeReader).findHistory({ company, merchantAccount, shopperReference }),
    );
  });
  if (shopper === undefined) throw new CommandError([`${merchantAccount} has no shopper of this reference`]);
  print(json ? asJson(shopper) : asText(shopper));
};

export const add = (program: Command): void => {
  const shopper = program.command('shopper').description('what is known of a shopper, card numbers by their last four');
  const example = '\nExample:\n  triglyph shopper show AcmeWeb shopper-1';
  shopper
    .command('show')
    .argument('<merchantAccount>', 'the merchant account')
    .argument('<shopperReference>', 'the shopper, as the merchant names it')
    .option('--json', 'prints JSON')
    .description("shows a shopper's details, disabled ones too, and what updates did to them")
    .addHelpText('after', example)
    .action(show);
  shopper.addHelpText('after', example);
};
