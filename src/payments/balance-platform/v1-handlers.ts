/** The handlers of version 1: what they return about balance accounts has the ids of their payment instruments. */
import type { Operation } from '../../core/contract/index.ts';
import {
  type BoundHandler,
  bindHandler,
  type Handler,
  type OperationHandlers,
  type ReadTransaction,
} from '../../stores/index.ts';
import type * as contract from './balance-accounts/contract.ts';
import { getBalanceAccount, listBalanceAccounts, updateBalanceAccount } from './balance-accounts/handlers.ts';
import { paymentInstruments } from './payment-instruments/kind.ts';
import { limitMax } from './schemas.ts';
import { ResourceReader } from './store/repository.ts';
import { platformOf } from './tenancy.ts';
import { balancePlatformV1 } from './v1.ts';

const getWithInstruments: Handler<typeof contract.getBalanceAccount> = async (request, tx, context) =>
  withInstruments(await getBalanceAccount(request, tx, context), platformOf(request.caller), tx);

const updateWithInstruments: Handler<typeof contract.updateBalanceAccount> = async (request, tx, context) =>
  withInstruments(await updateBalanceAccount(request, tx, context), platformOf(request.caller), tx);

const listWithInstruments: Handler<typeof contract.listBalanceAccounts> = async (request, tx, context) => {
  const page = await listBalanceAccounts(request, tx, context);
  const balanceAccounts = [];
  // One after the other: they share a connection.
  for (const account of page.balanceAccounts)
    balanceAccounts.push(await withInstruments(account, platformOf(request.caller), tx));
  return { ...page, balanceAccounts };
};

/** A new balance account has no payment instruments, so its creation needs no handler here. */
export const handlersOfV1: OperationHandlers = new Map<Operation, BoundHandler>([
  [operationOfV1('getBalanceAccount'), bindHandler<typeof contract.getBalanceAccount>(getWithInstruments)],
  [operationOfV1('updateBalanceAccount'), bindHandler<typeof contract.updateBalanceAccount>(updateWithInstruments)],
  [operationOfV1('listBalanceAccounts'), bindHandler<typeof contract.listBalanceAccounts>(listWithInstruments)],
]);

async function withInstruments<A extends { readonly id: string }>(account: A, platform: string, tx: ReadTransaction) {
  const children = { kind: paymentInstruments, platform, parent: account.id } as const;
  const found = await tx.repository(ResourceReader).listResources(children, { offset: 0, limit: limitMax });
  return found.length === 0 ? account : { ...account, paymentInstruments: found.map(({ record: { id } }) => ({ id })) };
}

function operationOfV1(name: string): Operation {
  const found = balancePlatformV1.operations.get(name);
  if (found === undefined) throw new TypeError(`version 1 has no operation ${name}`);
  return found;
}
