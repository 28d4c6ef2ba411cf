/** createPermit and disablePermit: permits of stored details. */
import { Problem, problems } from '../../../core/contract/index.ts';
import type { Handler } from '../../../stores/index.ts';
import type { RecurringOperations } from '../contract.ts';
import { recurringEvent } from '../events.ts';
import { recurringProblems } from '../problems.ts';
import { DetailReader } from '../store/repository.ts';
import { PermitRepository } from './store.ts';

export const createPermit: Handler<RecurringOperations['createPermit']> = async (request, tx, { clock, ids }) => {
  const { input, caller, requestReference: pspReference } = request;
  const { merchantAccount, shopperReference, recurringDetailReference, permits } = input;
  const { tenant } = caller;
  const key = { company: tenant, merchantAccount, shopperReference };
  const at = clock.now();
  for (const [index, { validTillDate }] of permits.entries())
    if (validTillDate !== undefined && validTillDate <= at)
      throw Problem.at(
        ['permits', { index, itemName: 'Permit', wrapped: false }, 'validTillDate'],
        problems.invalidField,
      );
  const detail = await tx.repository(DetailReader).findDetail(key, recurringDetailReference);
  if (detail === undefined) throw new Problem(recurringProblems.detailNotFound);
  const repository = tx.repository(PermitRepository);
  const created = permits.map(({ validTillDate: validTill, ...content }) => ({
    ...{ shopperReference, recurringDetailReference, createdAt: at, validTill, content },
    token: ids.reference(),
  }));
  for (const permit of created) await repository.add({ company: tenant, merchantAccount }, permit);
  const events = created.map(({ token, content: { resultKey } }) =>
    recurringEvent({
      ...{ kind: 'permitCreated', merchantAccount, shopperReference, recurringDetailReference },
      ...{ token, resultKey },
    }),
  );
  await tx.outbox.enqueue({ tenant, requestReference: pspReference, at, events });
  const permitResultList = created.map(({ token, content: { resultKey } }) => ({ resultKey, token }));
  return { permitResultList, pspReference };
};

export const disablePermit: Handler<RecurringOperations['disablePermit']> = async (request, tx, { clock }) => {
  const { input, caller, requestReference: pspReference } = request;
  const { merchantAccount, token } = input;
  const { tenant } = caller;
  const account = { company: tenant, merchantAccount };
  const at = clock.now();
  const repository = tx.repository(PermitRepository);
  const permit = await repository.find(account, token, at);
  if (permit === undefined) throw new Problem(recurringProblems.permitNotFound);
  await repository.disable(account, token, at);
  const { shopperReference, recurringDetailReference, content } = permit;
  const event = recurringEvent({
    ...{ kind: 'permitDisabled', merchantAccount, shopperReference, recurringDetailReference },
    ...{ token, resultKey: content.resultKey },
  });
  await tx.outbox.enqueue({ tenant, requestReference: pspReference, at, events: [event] });
  return { pspReference, status: 'disabled' };
};
