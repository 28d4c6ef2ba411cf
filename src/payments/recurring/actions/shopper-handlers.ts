/** Shows and erases shoppers. Card numbers are cut to the last four digits; holder names, accounts and free text stay in the store. */
import type { ActionContext, ActionHandlers } from '../../../backend/index.ts';
import { refuse } from '../../../operators/index.ts';
import { CardChangeReader, type DetailHistory } from '../account-updater/store/card-changes.ts';
import { shopperErasure } from '../erase-shopper.ts';
import type { RecurringParts } from '../parts.ts';
import { NotificationReader } from '../shopper-notifications/store.ts';
import type { shopperOperations } from './shoppers.ts';

export const shopperHandlers: ActionHandlers<(typeof shopperOperations)[number], RecurringParts> = {
  async showShopper({ merchantAccount, shopperReference }, context) {
    const company = await requireCompany(merchantAccount, context);
    const shopper = { company, merchantAccount, shopperReference };
    const found = await context.shared.store.read(async (tx) => {
      const history = await tx.repository(CardChangeReader).findHistory(shopper);
      return history && { ...history, notifications: await tx.repository(NotificationReader).find(shopper) };
    });
    if (found === undefined) return refuse(`${merchantAccount} has no shopper of this reference`);
    return {
      createdAt: found.createdAt,
      details: found.details.map(describeDetail),
      notifications: found.notifications.map(
        ({
          notifiedAt,
          pspReference,
          recurringDetailReference,
          shopperNotificationReference,
          amount,
          billingDate,
        }) => ({
          ...{ notifiedAt, pspReference, recurringDetailReference, shopperNotificationReference, amount, billingDate },
        }),
      ),
    };
  },

  async eraseShopper({ merchantAccount, shopperReference, dryRun: isDryRun = false }, context) {
    const company = await requireCompany(merchantAccount, context);
    const shopper = { company, merchantAccount, shopperReference };
    const { erased, isScrubbed } = await context.erase(shopperErasure, shopper, { isDryRun });
    return { erased: Object.entries(erased).map(([kind, rows]) => ({ kind, rows })), isScrubbed };
  },
};

async function requireCompany(
  merchantAccount: string,
  { shared, boundTenant }: ActionContext<RecurringParts>,
): Promise<string> {
  const company = await shared.registry.findCompany(merchantAccount);
  return company !== undefined && (boundTenant ?? company) === company
    ? company
    : refuse(
        `${merchantAccount}: there is no such merchant account: \`triglyph credential merchant-account list\` prints them`,
      );
}

/** Names every member that is shown. */
function describeDetail({ publicData, ...detail }: DetailHistory) {
  const { recurringDetailReference, contracts, createdAt, altered, disabledAt } = detail;
  const { alias, card, variant } = publicData;
  return {
    ...{ recurringDetailReference, variant },
    card: card && { alias, expiryMonth: card.expiryMonth, expiryYear: card.expiryYear, lastFour: card.number },
    ...{ contracts, createdAt, altered, disabledAt },
    changes: detail.changes.map(({ changedAt, changedBy, pspReference, outcome, before, after }) => ({
      ...{ changedAt, changedBy, pspReference, outcome, before, after },
    })),
  };
}
