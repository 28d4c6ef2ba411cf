/** Adds the sample data of the demo to the store: once, and in later runs only what is missing. */
import type { Backend } from '../../../backend/index.ts';
import type { Caller, CanonicalRequest, Input, Operation } from '../../../core/contract/index.ts';
import type { HandlerContext } from '../../../core/gateway/index.ts';
import {
  createBalanceAccount as accountOperation,
  balancePlatform,
  balancePlatformV2,
  insertAccountHolder as createAccountHolder,
  insertBalanceAccount as createBalanceAccount,
  insertPaymentInstrument as createPaymentInstrument,
  DetailRepository,
  createAccountHolder as holderOperation,
  createPaymentInstrument as instrumentOperation,
  recurring,
  saveDetail,
} from '../../../payments/index.ts';
import type { Transaction } from '../../../stores/index.ts';
import {
  demoAccounts,
  demoConsole,
  demoCredentials,
  demoPlatform,
  type PublishedCredential,
  rolesOf,
} from './published.ts';
import { type DemoDetail, firstDetails, generatedShopper } from './shoppers.ts';

type SeededParts = Pick<Backend, 'context' | 'registry' | 'store'>;

/** Returns the number of generated shoppers that were added. */
export async function seed(backend: SeededParts, shoppers: number): Promise<number> {
  await seedCredentials(backend);
  await seedOnce(backend, 'demo: first shoppers', (tx) => saveDetails(firstDetails, tx, backend.context));
  await seedOnce(backend, 'demo: balance platform', (tx) => seedPlatform(tx, backend.context));
  return seedGenerated(backend, shoppers);
}

async function seedCredentials(parts: SeededParts): Promise<void> {
  const { registry } = parts;
  const accounts = recurring.sharedIn(parts).registry;
  for (const { company, code } of demoAccounts) await accounts.addMerchantAccount(company, code);
  await balancePlatform.sharedIn(parts).registry.saveBalancePlatform(demoPlatform);
  const existing = await registry.listCredentials();
  for (const credential of [...demoCredentials, demoConsole]) {
    const { company, balancePlatform, presented } = credential;
    const { kind, secret } = presented;
    const username = presented.kind === 'basic' ? presented.username : undefined;
    // A revoked credential exists as well: it must not come back.
    const exists = existing.some(
      (each) =>
        each.tenant === company &&
        each.kind === kind &&
        each.username === username &&
        each.grants.balancePlatform?.[0] === balancePlatform,
    );
    if (exists) continue;
    await registry.addCredential({ tenant: company, kind, username, secret, ...scopeOf(credential) });
  }
}

function scopeOf(credential: PublishedCredential) {
  const { company, balancePlatform } = credential;
  const roles = rolesOf(credential);
  if (credential.roles !== undefined) return { roles, grants: {} };
  if (balancePlatform !== undefined) return { roles, grants: { balancePlatform: [balancePlatform] } };
  const accounts = demoAccounts.filter((each) => each.company === company);
  return { roles, grants: { merchantAccount: accounts.map(({ code }) => code) } };
}

/** Saves the progress in the transaction of the rows: what a caller has disabled or cancelled does not come back. */
async function seedOnce(
  { store, context }: SeededParts,
  source: string,
  save: (tx: Transaction) => Promise<void>,
): Promise<void> {
  if ((await store.read((tx) => tx.importProgress.find(source))) > 0) return;
  await store.write(async (tx) => {
    await save(tx);
    await tx.importProgress.save(source, 1, context.clock.now());
  });
}

const generatedSource = 'demo: generated shoppers';
/** One commit for 300 cards. */
const shoppersPerTransaction = 100;

async function seedGenerated({ store, context }: SeededParts, shoppers: number): Promise<number> {
  const before = await store.read((tx) => tx.importProgress.find(generatedSource));
  for (let done = before; done < shoppers; ) {
    const last = Math.min(done + shoppersPerTransaction, shoppers);
    const numbers = Array.from({ length: last - done }, (_, index) => done + index + 1);
    await store.write(async (tx) => {
      for (const n of numbers) await saveDetails(generatedShopper(n), tx, context);
      await tx.importProgress.save(generatedSource, last, context.clock.now());
    });
    done = last;
  }
  return Math.max(0, shoppers - before);
}

async function saveDetails(details: readonly DemoDetail[], tx: Transaction, context: HandlerContext): Promise<void> {
  const now = context.clock.now();
  for (const [index, { key, detail }] of details.entries()) {
    const firstPspReference = context.ids.requestReference();
    // A millisecond apart keeps their order in lists.
    const createdAt = now - details.length + index;
    await saveDetail(key, { ...detail, firstPspReference, createdAt }, tx.repository(DetailRepository), context);
  }
}

const platformCaller: Caller = Object.freeze({
  credential: 'demo',
  tenant: demoPlatform.company,
  roles: new Set(['balancePlatform']),
  grants: new Map([['balancePlatform', new Set([demoPlatform.id])]]),
  partition: demoPlatform.id,
  requiresKey: false,
});

const sampleHolder: Input<typeof holderOperation> = {
  legalEntityId: 'LE322KT223222D5FJ7THR293F',
  reference: 'demo-holder',
  description: 'A shop in Amsterdam',
  capabilities: { issueCard: { requested: true, requestedLevel: 'high' }, receivePayments: { requested: true } },
};

const cardholderName = 'Anna van Dijk';

/** The first balance account gets two cards, the second one a bank account. */
async function seedPlatform(tx: Transaction, context: HandlerContext): Promise<void> {
  const request = <O extends Operation>(operation: O, input: Input<O>): CanonicalRequest<O> => ({
    service: balancePlatformV2,
    operation,
    input,
    caller: platformCaller,
    requestReference: context.ids.requestReference(),
  });
  const { id: accountHolderId } = await createAccountHolder(request(holderOperation, sampleHolder), tx, context);
  const account = async (reference: string) =>
    (await createBalanceAccount(request(accountOperation, { accountHolderId, reference }), tx, context)).id;
  const [daily, savings] = [await account('daily'), await account('savings')];
  const instruments: readonly Input<typeof instrumentOperation>[] = [
    {
      type: 'card',
      balanceAccountId: daily,
      issuingCountryCode: 'NL',
      reference: 'online',
      card: { brand: 'visa', brandVariant: 'visadebit', formFactor: 'virtual', cardholderName },
    },
    {
      type: 'card',
      balanceAccountId: daily,
      issuingCountryCode: 'NL',
      reference: 'in the post',
      status: 'inactive',
      card: { brand: 'mc', brandVariant: 'mcdebit', formFactor: 'physical', cardholderName },
    },
    { type: 'bankAccount', balanceAccountId: savings, issuingCountryCode: 'NL', reference: 'to be paid to' },
  ];
  for (const each of instruments) await createPaymentInstrument(request(instrumentOperation, each), tx, context);
}
