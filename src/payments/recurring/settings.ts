/** The settings of the Recurring service and of the account updater. */
import { existsSync, statSync } from 'node:fs';
import {
  defineSettings,
  integer,
  oneOf,
  onOrOff,
  optional,
  type Parsed,
  setting,
  text,
  token,
  type ValuesOf,
} from '../../config/index.ts';
import { isPlainAddress } from '../../core/lib/index.ts';

const updaterKind = oneOf('local', 'http', 'batch');

const table = {
  rememberedBytesMax: setting({
    name: 'REMEMBERED_BYTES_MAX',
    after: 'LOG_LEVEL',
    unit: 'bytes',
    default: '67108864',
    doc: 'Memory for the cache of listed shoppers; 0 disables it. For the embedded store.',
    parse: integer(0, 68_719_476_736),
  }),
  unversionedVersion: setting({
    name: 'UNVERSIONED_VERSION',
    after: 'WSDL_SOAP12',
    unit: '1 or 25',
    default: '1',
    doc: 'The version that answers SOAP at /pal/servlet/soap/Recurring, and whose WSDL is /pal/Recurring.wsdl: `1` for requests without anything newer, and version 25 for others; or `25` for all (docs/requests.md).',
    parse: oneOf('1', '25'),
  }),
  updater: setting({
    name: 'UPDATER',
    unit: 'local, http or batch',
    default: 'local',
    doc: 'The source of card changes for scheduleAccountUpdater: announced changes and test cards (`local`), the updater at UPDATER_URL (`http`), or files in UPDATER_FOLDER (`batch`); see docs/account-updater.md.',
    parse: updaterKind,
  }),
  updaterUrl: optional({
    name: 'UPDATER_URL',
    unit: 'URL',
    doc: 'The address that card numbers are sent to for a check, with UPDATER=http: `https://updater.example.com/checks`.',
    parse: address,
  }),
  updaterSecret: optional({
    name: 'UPDATER_SECRET',
    unit: 'token',
    doc: 'The bearer token that authenticates this gateway to the updater at UPDATER_URL.',
    secret: true,
    fileNames: ['UPDATER_SECRET_FILE'],
    parse: token,
  }),
  updaterMsMax: setting({
    name: 'UPDATER_MS_MAX',
    unit: 'ms',
    default: '1500',
    doc: 'How long a request waits for the updater at UPDATER_URL. A check without a result by then is retried in the background.',
    parse: integer(100, 10_000),
  }),
  updaterFolder: optional({
    name: 'UPDATER_FOLDER',
    unit: 'folder',
    doc: 'The folder for request and answer files, with UPDATER=batch. All servers of a database share it. The files hold card numbers in the clear.',
    parse: text,
  }),
  updaterBatchMs: setting({
    name: 'UPDATER_BATCH_MS',
    unit: 'ms',
    default: '900000',
    doc: 'The longest time before a check is written into a file in UPDATER_FOLDER.',
    parse: integer(0, 604_800_000),
  }),
  updaterBatchRowsMax: setting({
    name: 'UPDATER_BATCH_ROWS_MAX',
    unit: 'rows',
    default: '10000',
    doc: 'The maximum number of checks in a file. As soon as that many wait, a file is written without waiting for UPDATER_BATCH_MS.',
    parse: integer(1, 100_000),
  }),
  lookupMissesPerMinuteMax: setting({
    name: 'LOOKUP_MISSES_PER_MINUTE_MAX',
    after: 'CALLER_DAYS_MAX',
    unit: 'cards and accounts',
    default: '60',
    inMemory: '0',
    doc: 'How many different cards and accounts one company may look up in a minute that are not stored, by all its credentials; 429 for its lookups beyond it (docs/security.md). 0 is unlimited. Raise it for callers that look up the card of every new shopper.',
    parse: integer(0, 1_000_000_000),
  }),
  cardsStoredPerMinuteMax: setting({
    name: 'CARDS_STORED_PER_MINUTE_MAX',
    unit: 'cards',
    default: '1000',
    inMemory: '0',
    doc: 'How many different cards one company may store in a minute, by all its credentials; 429 beyond it. 0 is unlimited. Imports are not limited.',
    parse: integer(0, 1_000_000_000),
  }),
  similarCardsPerDayMax: setting({
    name: 'SIMILAR_CARDS_PER_DAY_MAX',
    unit: 'cards',
    default: '50',
    inMemory: '0',
    doc: 'How many different cards with the same first six and last four digits one company may store, or look up without success, in a day, by all its credentials; 429 for such cards beyond it. 0 is unlimited.',
    parse: integer(0, 1_000_000_000),
  }),
  refuseCardNumbersInText: setting({
    name: 'REFUSE_CARD_NUMBERS_IN_TEXT',
    after: 'AUDIT_DAYS_MAX',
    unit: 'on or off',
    default: {
      description: 'off; on with ENVIRONMENT=live',
      compute: ({ variable }) => (variable('ENVIRONMENT') === 'live' ? 'on' : 'off'),
    },
    doc: 'Whether a card number in a field that is no card field is refused with 422. It is counted, audited and masked in any case. With `off` it is stored as it was sent. A numeric reference may be a valid card number by chance (docs/security.md).',
    parse: onOrOff,
  }),
  disabledDetailDaysMax: setting({
    name: 'DISABLED_DETAIL_DAYS_MAX',
    after: 'LOGIN_LOCK_MS',
    unit: 'days',
    default: '400',
    doc: 'How long a disabled detail is stored with its sealed number and its history (docs/retention.md); 0 is for ever.',
    parse: integer(0, 36_500),
  }),
  detailHistoryDaysMax: setting({
    name: 'DETAIL_HISTORY_DAYS_MAX',
    unit: 'days',
    default: '0',
    doc: 'How long changes by the account updater are stored in the history of a detail; 0 is as long as the detail.',
    parse: integer(0, 36_500),
  }),
  notificationDaysMax: setting({
    name: 'NOTIFICATION_DAYS_MAX',
    unit: 'days',
    default: '0',
    doc: 'How long announcements of payments to shoppers (notifyShopper) are stored; 0 is for ever.',
    parse: integer(0, 36_500),
  }),
  announcedChangeDaysMax: setting({
    name: 'ANNOUNCED_CHANGE_DAYS_MAX',
    unit: 'days',
    default: '400',
    doc: 'How long announced card changes are stored with their sealed numbers; 0 is for ever.',
    parse: integer(0, 36_500),
  }),
  demoShoppers: setting({
    name: 'DEMO_SHOPPERS',
    after: 'TRAFFIC_BYTES_MAX',
    unit: 'shoppers',
    default: '0',
    doc: 'The number of generated shoppers that the demo adds, with three details each. For the demo only.',
    parse: integer(0, 1_000_000),
  }),
};

export type RecurringSettings = ValuesOf<typeof table>;

export const recurringSettings = defineSettings({
  table,
  prefixes: ['UPDATER_', 'REMEMBERED_'],
  findFaults: updaterFaults,
  findProductionFaults({ updaterFolder, updaterUrl, demoShoppers }, environment) {
    const faults: string[] = [];
    if (updaterFolder !== undefined) faults.push(...folderFaults(updaterFolder));
    if (demoShoppers > 0) faults.push('DEMO_SHOPPERS is set: remove it; only the demo generates shoppers.');
    if (environment === 'live' && updaterUrl !== undefined && isPlainAddress(updaterUrl))
      faults.push(
        'UPDATER_URL is plain http while ENVIRONMENT is live: give its https address, or one on this machine.',
      );
    return faults;
  },
});

/** A given address or folder that is not used is a mistake. */
function updaterFaults({ updater, updaterUrl, updaterFolder }: RecurringSettings): readonly string[] {
  const needs = [
    { kind: 'http', name: 'UPDATER_URL', value: updaterUrl },
    { kind: 'batch', name: 'UPDATER_FOLDER', value: updaterFolder },
  ] as const;
  return needs.flatMap(({ kind, name, value }) => {
    if (updater === kind && value === undefined) return `UPDATER is ${kind} and ${name} is missing: set it.`;
    if (updater === kind || value === undefined) return [];
    return `${name} is set and UPDATER is ${updater}: set UPDATER=${kind}, or remove ${name}.`;
  });
}

/** Request files hold card numbers in the clear. */
function folderFaults(folder: string): readonly string[] {
  if (process.platform === 'win32' || !existsSync(folder) || (statSync(folder).mode & 0o007) === 0) return [];
  return [`UPDATER_FOLDER ${folder} is open to all users: chmod 700 it (770 where a group must reach it).`];
}

/** Refuses user and password: process lists would show them, and `fetch` refuses such URLs. */
function address(text: string): Parsed<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isValid =
    url !== undefined && /^https?:$/.test(url.protocol) && url.hash === '' && `${url.username}${url.password}` === '';
  return isValid
    ? { value: url.href }
    : { hint: 'give an address like https://updater.example.com/checks, without user, password and fragment' };
}
