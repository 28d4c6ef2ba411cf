/** The tables of merchant accounts, shoppers and their stored details, with what the account updater knows of them. */
import { column, type TableOwner, table } from '../../stores/index.ts';
import { batchResponse } from './account-updater/job-kinds.ts';
import { detailReindexing } from './reindex.ts';

const { tenant: company, text, moment, json, dataKey, optionalDataKey, nullable } = column;

const merchantAccounts = table('merchant_account', {
  columns: { company, code: text, createdAt: moment },
  key: ['company', 'code'],
  unique: [['code']],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

const shopperKey = { company, merchantAccount: text, shopperReference: text };

/** Shoppers: what belongs to one is erased with it. */
export const shoppers = table('shopper', {
  columns: { ...shopperKey, createdAt: moment, email: nullable(text) },
  key: ['company', 'merchantAccount', 'shopperReference'],
  references: [{ columns: ['company', 'merchantAccount'], table: merchantAccounts }],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

/** Stored details, with their numbers sealed. */
export const storedDetails = table('stored_detail', {
  columns: {
    ...shopperKey,
    recurringDetailReference: text,
    createdAt: moment,
    contracts: text,
    fingerprint: text,
    publicData: json,
    ...dataKey,
    sealedNumber: nullable(text),
    sealedPayload: nullable(text),
    disabledAt: nullable(moment),
  },
  key: ['company', 'recurringDetailReference'],
  references: [{ columns: ['company', 'merchantAccount', 'shopperReference'], table: shoppers }],
  indexes: {
    // In the order of the answer, so that the active details of a shopper are found without sorting.
    active: {
      on: ['company', 'merchantAccount', 'shopperReference', 'createdAt', 'recurringDetailReference'],
      where: 'disabled_at is null',
    },
    // In the order of the answer, as far as it is shown.
    holders: {
      on: ['company', 'fingerprint', 'merchantAccount', 'createdAt', 'shopperReference'],
      where: 'disabled_at is null',
    },
  },
  sealedRecord: (recurringDetailReference) => recurringDetailReference,
  // A disabled detail has no MAC. Key rotation changes none of the columns.
  signed: {
    columns: ['merchantAccount', 'shopperReference', 'createdAt', 'contracts', 'publicData'],
    where: 'disabled_at is null',
  },
  reindexing: detailReindexing,
  belongsTo: { table: shoppers, erasedAs: 'details' },
  keptFor: { after: 'disabledAt', subject: 'disabledDetail', setting: 'DISABLED_DETAIL_DAYS_MAX' },
});

/** Permits to pay with a stored detail. */
export const permits = table('permit', {
  columns: {
    company,
    token: text,
    merchantAccount: text,
    shopperReference: text,
    recurringDetailReference: text,
    createdAt: moment,
    validTill: nullable(moment),
    // `content` is without secrets.
    content: json,
    disabledAt: nullable(moment),
  },
  key: ['company', 'token'],
  references: [{ columns: ['company', 'recurringDetailReference'], table: storedDetails }],
  indexes: { ofDetail: { on: ['company', 'recurringDetailReference', 'createdAt', 'token'] } },
  // A disabled permit has no MAC.
  signed: {
    columns: ['merchantAccount', 'shopperReference', 'recurringDetailReference', 'createdAt', 'validTill', 'content'],
    where: 'disabled_at is null',
  },
  belongsTo: { table: storedDetails, erasedAs: 'permits' },
  keptFor: 'withParent',
});

/** The history of the stored details that were updated. Never holds more of a card than an answer shows. */
export const detailChanges = table('detail_change', {
  columns: {
    company,
    recurringDetailReference: text,
    pspReference: text,
    changedAt: moment,
    changedBy: text,
    outcome: text,
    cardBefore: json,
    cardAfter: nullable(json),
  },
  key: ['company', 'recurringDetailReference', 'pspReference'],
  references: [{ columns: ['company', 'recurringDetailReference'], table: storedDetails }],
  signed: 'none',
  belongsTo: { table: storedDetails, erasedAs: 'changes' },
  keptFor: { after: 'changedAt', subject: 'detailHistory', setting: 'DETAIL_HISTORY_DAYS_MAX' },
});

/** What was announced of cards, by the fingerprint of their number. */
export const announcedChanges = table('announced_change', {
  columns: {
    company,
    fingerprint: text,
    status: text,
    expiryMonth: nullable(text),
    expiryYear: nullable(text),
    ...optionalDataKey,
    sealedNumber: nullable(text),
    announcedAt: moment,
  },
  key: ['company', 'fingerprint'],
  sealedRecord: (fingerprint) => `announced ${fingerprint}`,
  // The number is sealed for the company and the fingerprint.
  signed: { columns: ['status', 'expiryMonth', 'expiryYear'] },
  belongsTo: { table: storedDetails, by: ['company', 'fingerprint'], isShared: true, erasedAs: 'announcedChanges' },
  keptFor: { after: 'announcedAt', subject: 'announcedChange', setting: 'ANNOUNCED_CHANGE_DAYS_MAX' },
});

/** The announcements of payments. */
export const shopperNotifications = table('shopper_notification', {
  // `content` is without secrets.
  columns: { ...shopperKey, pspReference: text, notifiedAt: moment, content: json },
  key: ['company', 'pspReference'],
  indexes: { ofShopper: { on: ['company', 'merchantAccount', 'shopperReference', 'notifiedAt'] } },
  signed: 'none',
  belongsTo: { table: shoppers, erasedAs: 'notifications' },
  keptFor: { after: 'notifiedAt', subject: 'shopperNotification', setting: 'NOTIFICATION_DAYS_MAX' },
});

/** In the order in which they reference each other. */
export const recurringTables: TableOwner = Object.freeze<TableOwner>({
  name: 'recurring',
  tables: [merchantAccounts, shoppers, storedDetails, permits, shopperNotifications, detailChanges, announcedChanges],
  upgrades: {
    // Checks that are in a file are found by the file, which holds their lease.
    1: [`create index job_batch on job (lease_owner, tenant, job_id) where kind = '${batchResponse}'`],
  },
});
