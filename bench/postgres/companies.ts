/** A company with its credentials, account holders and webhook endpoints, and the requests that it makes. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Backend } from '../../src/backend/backend.ts';
import { balancePlatform as balancePlatforms } from '../../src/payments/balance-platform/index.ts';
import { recurring } from '../../src/payments/recurring/index.ts';
import { keyScope } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { basic } from '../../test/support/server.ts';

export const operationNames = ['storeToken', 'createBalanceAccount'] as const;
export type OperationName = (typeof operationNames)[number];

export interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Company {
  /** For each of the two kinds of events. */
  readonly endpoints: number;
  /** Each is for another shopper or account holder, and has its own Idempotency-Key. */
  request(operation: OperationName): Request;
}

export interface CompanyOptions {
  readonly endpoints: number;
  /** The origin of the receiver of webhooks. */
  readonly receiver: string;
}

/** More than there are callers, so that no two requests at a time have the same holder. */
const holders = 500;

export async function createCompany(
  backend: Backend,
  origins: readonly string[],
  { endpoints, receiver }: CompanyOptions,
): Promise<Company> {
  const company = `Company${endpoints}`;
  const merchantAccount = `${company}Web`;
  const balancePlatform = `${company}Platform`;
  const { registry } = backend;
  await recurring.sharedIn(backend).registry.addMerchantAccount(company, merchantAccount);
  await balancePlatforms
    .sharedIn(backend)
    .registry.saveBalancePlatform({ id: balancePlatform, company, status: 'Active', timeZone: 'UTC' });
  const shop = await registry.addCredential({
    tenant: company,
    kind: 'basic',
    roles: ['recurring'],
    grants: { merchantAccount: [merchantAccount] },
  });
  const platform = await registry.addCredential({
    tenant: company,
    kind: 'apiKey',
    roles: ['balancePlatform'],
    grants: { balancePlatform: [balancePlatform] },
  });
  const authorization = { Authorization: basic(shop.username!, shop.secret) };
  const apiKey = { 'X-API-Key': platform.secret };
  const holderIds = await createHolders(origins[0]!, apiKey, company);
  await addEndpoints(backend, { company, endpoints, receiver });
  let sent = 0;
  const run = randomUUID().slice(0, 8);
  return {
    endpoints,
    request(operation) {
      sent += 1;
      const also = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
      switch (operation) {
        case 'storeToken':
          return {
            path: '/pal/servlet/Recurring/v25/storeToken',
            headers: { ...also, ...authorization },
            body: JSON.stringify({
              merchantAccount,
              // Random, so that neighbours in time are no neighbours in an index.
              shopperReference: `shopper-${randomUUID()}`,
              card: { number: '4111111111111111', expiryMonth: '8', expiryYear: '2040', holderName: 'Anna van Dijk' },
              recurring: { contract: 'RECURRING' },
            }),
          };
        case 'createBalanceAccount':
          return {
            path: '/bcl/v2/balanceAccounts',
            headers: { ...also, ...apiKey },
            body: JSON.stringify({
              accountHolderId: holderIds[sent % holderIds.length],
              reference: `${run}-${sent}`,
            }),
          };
        default:
          return operation satisfies never;
      }
    },
  };
}

async function createHolders(origin: string, apiKey: Readonly<Record<string, string>>, name: string) {
  const ids: string[] = [];
  const numbers = Array.from({ length: holders }, (_, number) => number).values();
  const create = async (path: string, input: object): Promise<string> => {
    const answer = await fetch(`${origin}/bcl/v2${path}`, {
      method: 'POST',
      headers: { ...apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(input),
    });
    const { id } = (await answer.json()) as { readonly id?: string };
    if (id === undefined) throw new Error(`POST ${path} was answered ${answer.status}`);
    return id;
  };
  const worker = async () => {
    for (const number of numbers) {
      const accountHolderId = await create('/accountHolders', { legalEntityId: `LE-${name}-${number}` });
      // The first account becomes the primary one, which is a second event.
      await create('/balanceAccounts', { accountHolderId });
      ids.push(accountHolderId);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return ids;
}

async function addEndpoints(
  { endpoints, context: { vault } }: Backend,
  { company, endpoints: count, receiver }: CompanyOptions & { readonly company: string },
): Promise<void> {
  for (const format of ['tokenization', 'configuration'])
    for (let number = 1; number <= count; number++) {
      const endpointId = `we_${randomBytes(9).toString('base64url')}`;
      const sealed = vault.seal(keyScope({ tenant: company, endpointId }), {
        payload: randomBytes(32).toString('hex'),
      });
      const url = `${receiver}/${endpointId}`;
      await endpoints.add({ tenant: company, endpointId, url, format, sealed, createdAt: Date.now() });
    }
}
