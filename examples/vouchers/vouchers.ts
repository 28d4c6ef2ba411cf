/** Gift vouchers: a service that uses everything that a service can contribute. */
import {
  column,
  defineProblems,
  defineService,
  defineSettings,
  implement,
  integer,
  kind,
  object,
  olderVersion,
  operation,
  Problem,
  type ReadTransaction,
  type RowOf,
  renamed,
  type ServiceParts,
  service,
  setting,
  signRow,
  statement,
  string,
  type Transaction,
  table,
  type Vault,
  verifyRow,
  wholeNumber,
} from 'triglyph/contract';

export const problems = defineProblems({
  foreignShop: kind(403, '1101', 'security', 'Shop not allowed'),
  unknownVoucher: kind(422, '1102', 'validation', 'Unknown voucher'),
  shopIsFull: kind(422, '1103', 'validation', 'The shop has too many vouchers'),
  tooLittleLeft: kind(422, '1104', 'validation', 'The voucher has too little left'),
});

// Operations and versions.
const shopGrant = { name: 'shop', refusal: problems.foreignShop };
const shop = string({ max: 40, authorizes: shopGrant, example: 'amsterdam' }).doc('The shop.');
const code = string({ max: 40, sensitive: true, example: 'GIFT-1' }).doc('The code of the voucher.');
const amount = integer(1, 1_000_000, 5_000).doc('The amount in cents.');
const left = integer(0, 1_000_000, 5_000).doc('The amount in cents that is left.');
const holder = string({ max: 60, example: 'Anna' }).doc('Who gets the voucher.');

const issue = operation({
  name: 'issueVoucher',
  doc: 'Issues a voucher.',
  effect: 'writes',
  role: 'vouchers:issue',
  problems: [problems.shopIsFull],
  input: object('IssueRequest', { shop, code, amount, holder }),
  output: object('IssueResult', { amount }),
});
const redeem = operation({
  name: 'redeemVoucher',
  doc: 'Pays with a voucher, and returns the amount that it has left.',
  effect: 'writes',
  role: 'vouchers:issue',
  problems: [problems.unknownVoucher, problems.tooLittleLeft],
  input: object('RedeemRequest', { shop, code, amount }),
  output: object('RedeemResult', { amount: left }),
});
const look = operation({
  name: 'lookAtVoucher',
  doc: 'Returns a voucher.',
  effect: 'reads',
  role: 'vouchers:read',
  problems: [problems.unknownVoucher],
  input: object('LookRequest', { shop, code }),
  output: object('Voucher', { amount: left, holder }),
});

export const vouchersV2 = service({
  name: 'Vouchers',
  version: 2,
  doc: 'Gift vouchers of shops.',
  address: '/vouchers',
  namespaces: { own: 'v', uris: { v: 'urn:example:vouchers' } },
  soapStyle: 'wrapped',
  problems,
  roles: ['vouchers', 'vouchers:issue', 'vouchers:read'],
  roleSets: { vouchers: ['vouchers:issue', 'vouchers:read'] },
  operations: [issue, redeem, look],
});
/** The amount had another name. */
export const vouchersV1 = olderVersion(vouchersV2, {
  version: 1,
  answers: { from: 1, to: 1 },
  differences: ['IssueRequest', 'IssueResult', 'RedeemRequest', 'RedeemResult', 'Voucher'].map((type) =>
    renamed(type, 'cents', 'amount'),
  ),
});

// Tables: the code of a voucher is sealed, its row has a MAC, and it is erased with its holder.
const { tenant, text, moment, dataKey } = column;
const holders = table('voucher_holder', {
  columns: { tenant, holder: text },
  key: ['tenant', 'holder'],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});
const vouchers = table('voucher', {
  columns: {
    tenant,
    fingerprint: text,
    shop: text,
    holder: text,
    amount: column.integer,
    issuedAt: moment,
    ...dataKey,
    sealedCode: text,
  },
  key: ['tenant', 'fingerprint'],
  sealedRecord: (fingerprint) => `voucher ${fingerprint}`,
  signed: { columns: ['shop', 'holder', 'amount'] },
  belongsTo: { table: holders, by: ['tenant', 'holder'], erasedAs: 'vouchers' },
  keptFor: { after: 'issuedAt', subject: 'voucher', setting: 'VOUCHER_DAYS_MAX' },
  reindexing: {
    fingerprint: 'fingerprint',
    fingerprints: (row, vault) => vault.fingerprints(row.tenant, openCode(row, vault)),
  },
});
type VoucherRow = RowOf<typeof vouchers>;

interface SealedCode {
  readonly tenant: string;
  readonly fingerprint: string;
  readonly key_id: string;
  readonly data_key: string;
  readonly sealed_code: string;
}

function openCode(row: SealedCode, vault: Vault): string {
  const scope = { tenant: row.tenant, record: `voucher ${row.fingerprint}` };
  return vault.open(scope, { keyId: row.key_id, dataKey: row.data_key, payload: row.sealed_code }, 'payload');
}

const addHolder = statement('insert into voucher_holder values ($1, $2) on conflict do nothing');
export const addVoucher = statement(
  'insert into voucher values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing',
);
export const changeAmount = statement(
  'update voucher set amount = $3, row_mac = $4 where tenant = $1 and fingerprint = $2',
);
const find = statement<VoucherRow>('select * from voucher where tenant = $1 and fingerprint = $2');
const findAny = statement<VoucherRow>('select * from voucher limit 1');
const count = statement<{ readonly vouchers: number }>('select count(*) as vouchers from voucher');
const eraseHolder = statement('delete from voucher_holder where tenant = $1 and holder = $2');
const eraseVouchers = statement('delete from voucher where tenant = $1 and holder = $2');

const settings = defineSettings({
  table: {
    days: setting({
      name: 'VOUCHER_DAYS_MAX',
      unit: 'days',
      default: '400',
      doc: 'How long vouchers are stored; 0 is for ever.',
      parse: wholeNumber(0, 36_500),
    }),
    perMinute: setting({
      name: 'VOUCHERS_PER_MINUTE_MAX',
      unit: 'vouchers',
      default: '100',
      inMemory: '0',
      doc: 'How many vouchers a tenant may issue in a minute; 0 is unlimited.',
      parse: wholeNumber(0, 1_000_000),
    }),
  },
  prefixes: ['VOUCHER_', 'VOUCHERS_'],
  findFaults: ({ days }) => (days === 1 ? ['VOUCHER_DAYS_MAX is 1: give vouchers more than a day.'] : []),
  findProductionFaults: ({ perMinute }) => (perMinute === 0 ? ['VOUCHERS_PER_MINUTE_MAX is 0: set a limit.'] : []),
});

export interface Voucher {
  readonly tenant: string;
  readonly code: string;
  readonly shop: string;
  readonly holder: string;
  readonly amount: number;
}
type SavingParts = Pick<ServiceParts, 'context' | 'integrity'>;

/** Stores a voucher, unless its code was issued before. */
export async function saveVoucher(tx: Transaction, voucher: Voucher, { context, integrity }: SavingParts) {
  const { tenant, code, shop, holder, amount } = voucher;
  const { clock, vault } = context;
  const fingerprint = vault.fingerprint(tenant, code);
  const { keyId, dataKey, payload = '' } = vault.seal({ tenant, record: `voucher ${fingerprint}` }, { payload: code });
  const row = { tenant, fingerprint, shop, holder, amount };
  const mac = signRow(integrity, vouchers, row);
  await tx.execute(addHolder, [tenant, holder]);
  await tx.execute(addVoucher, [...Object.values(row), clock.now(), keyId, dataKey, payload, mac]);
  return fingerprint;
}

interface Issued {
  readonly voucherOf: string;
  readonly shop: string;
  readonly fingerprint: string;
}

const isIssued = (data: object): data is Issued => 'voucherOf' in data;
const eventType = 'voucher.issued';
const jobKind = 'voucher-greeting';

/** What the transactions of a store share: here, how often vouchers were looked at. */
export class Looks {
  total = 0;
}

/** Greetings that were sent to holders. A real service would write to them. */
export interface Shared extends ServiceParts<{ readonly days: number; readonly perMinute: number }> {
  readonly greeted: string[];
  readonly prepared: { at?: number };
}

export const voucherService = defineService({
  contract: vouchersV2,
  olderVersions: [vouchersV1],
  settings,
  open: (parts): Shared => ({ ...parts, greeted: [], prepared: {} }),
  bind(shared) {
    const { limits, integrity, settings, context } = shared;
    const quota = limits.quota({ name: 'vouchers', max: settings.perMinute, windowMs: 60_000 });
    const findVoucher = async (tx: ReadTransaction, tenant: string, { shop, code }: Pick<Voucher, 'shop' | 'code'>) => {
      const [row] = await tx.query(find, [tenant, context.vault.fingerprint(tenant, code)]);
      if (row === undefined || row.shop !== shop) throw new Problem(problems.unknownVoucher);
      return verifyRow(integrity, vouchers, row);
    };
    return implement(vouchersV2, {
      async issueVoucher({ input, caller: { tenant, credential }, requestReference }, tx) {
        if (quota.blockedMs(tenant) > 0) throw new Problem(problems.shopIsFull);
        void quota.count(tenant, { member: input.code, actor: credential });
        const fingerprint = await saveVoucher(tx, { tenant, ...input }, shared);
        const data: Issued = { voucherOf: input.holder, shop: input.shop, fingerprint };
        await tx.outbox.enqueue({
          tenant,
          requestReference,
          at: context.clock.now(),
          events: [{ type: eventType, data }],
        });
        await tx.jobs.save({ tenant, jobId: requestReference, kind: jobKind, payload: JSON.stringify(input.holder) });
        return { amount: input.amount };
      },
      async redeemVoucher({ input, caller: { tenant } }, tx) {
        const row = await findVoucher(tx, tenant, input);
        const amount = row.amount - input.amount;
        if (amount < 0) throw new Problem(problems.tooLittleLeft);
        const mac = signRow(integrity, vouchers, { ...row, amount });
        await tx.execute(changeAmount, [tenant, row.fingerprint, amount, mac]);
        return { amount };
      },
      async lookAtVoucher({ input, caller: { tenant } }, tx) {
        const looks = tx.shared(Looks);
        if (looks !== undefined) looks.total += 1;
        const { amount, holder } = await findVoucher(tx, tenant, input);
        return { amount, holder };
      },
    }).handlers;
  },
  tables: [holders, vouchers],
  upgrades: { 1: ['create index voucher_of_shop on voucher (tenant, shop)'] },
  sharedObjects: () => [new Looks()],
  async keysOpenStoredData({ store, context }) {
    const [row] = await store.read((tx) => tx.query(findAny, []));
    return row === undefined || context.vault.fingerprint(row.tenant, openCode(row, context.vault)) === row.fingerprint;
  },
  erasure: {
    subject: 'holder',
    tenantOf: ({ tenant }: HolderKey) => tenant,
    nameOf: ({ holder }: HolderKey) => holder,
    publicPartOf: () => ({}),
    async erase(tx, { tenant, holder }: HolderKey) {
      const erased = await tx.execute(eraseVouchers, [tenant, holder]);
      return { vouchers: erased, holders: await tx.execute(eraseHolder, [tenant, holder]) };
    },
    isAbout: (input, { holder }: HolderKey) => JSON.stringify(input).includes(JSON.stringify(holder)),
  },
  tenants: { tenantNoun: 'chain', realm: 'Chain' },
  grants: [
    {
      name: 'shop',
      noun: 'shop',
      role: 'vouchers',
      option: { flags: '--shop <name>', doc: 'a shop that it authorizes' },
    },
  ],
  webhookFormats: [
    {
      name: 'vouchers',
      accepts: (type: string) => type === eventType,
      encode: ({ eventId, data }: { readonly eventId: string; readonly data: Issued }) => ({
        body: JSON.stringify({ eventId, ...data }),
        headers: {},
      }),
    },
  ],
  summarizeEvent: (data) => (isIssued(data) ? { type: eventType, owner: { shop: data.shop } } : undefined),
  completeEvent:
    ({ context }) =>
    async (data) =>
      isIssued(data) ? { ...data, sentAt: context.clock.now() } : data,
  textScan: () => ({
    detector: {
      lengthMin: 5,
      detects: (text) => /GIFT-\d/.test(text),
      mask: (text) => text.replaceAll(/GIFT-\d+/g, 'GIFT-*'),
    },
    refuses: true,
    counter: { name: 'example_codes_found_total', help: 'Codes of vouchers in other fields.' },
  }),
  importers: {
    holders: {
      rows: 'holders of vouchers',
      create: () => ({
        sourcePrefix: 'holders: ',
        schema: object('HolderRow', { tenant: string().doc('The tenant.'), holder }),
        async save(row, tx) {
          const { tenant, holder } = row as HolderKey;
          await tx.execute(addHolder, [tenant, holder]);
          return undefined;
        },
      }),
    },
  },
  async prepare({ prepared, context }) {
    prepared.at = context.clock.now();
  },
  jobs: async ({ store, greeted }) => [
    {
      kind: jobKind,
      concurrencyMax: 1,
      leaseMs: 30_000,
      pollIntervalMs: 1_000,
      async run(job) {
        await store.write((tx) => tx.jobs.end(job));
        greeted.push(JSON.parse(job.payload));
        return 'ended';
      },
    },
  ],
  panels: ({ store }) => [
    {
      name: 'vouchers',
      title: 'Vouchers',
      doc: 'How many vouchers there are.',
      async read() {
        const [found] = await store.read((tx) => tx.query(count, []));
        return [{ name: 'Vouchers', value: String(found?.vouchers ?? 0) }];
      },
    },
  ],
  dataTables: ({ store }) => [
    {
      name: 'vouchers',
      title: 'Vouchers',
      doc: 'The last voucher.',
      columns: ['Shop', 'Amount'],
      needsParent: false,
      async read() {
        const rows = await store.read((tx) => tx.query(findAny, []));
        return {
          rows: rows.map(({ shop, amount, fingerprint }) => ({
            id: fingerprint,
            cells: [shop, String(amount)],
            below: [],
          })),
        };
      },
    },
  ],
  observe({ greeted }, log, metrics) {
    metrics.addEventCounter({ name: 'example_vouchers_total', help: 'Vouchers, by what became of them.' })('started');
    log.write('info', 'vouchers are served', { greeted: greeted.length });
  },
});

export interface HolderKey {
  readonly tenant: string;
  readonly holder: string;
}
