/** Tells the company what a request did to the resources of its platform: all of it, at the end of the same unit. */
import type { CanonicalRequest } from '../../contract/canonical.ts';
import type { Operation, Output } from '../../contract/operation.ts';
import type { HandlerContext } from '../../gateway/handler.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { ResourceEventData } from '../../webhooks/event.ts';
import type { StoredResource } from './resource.ts';
import type { ResourceTransaction } from './save-resource.ts';

/** What it notes is told; it writes no resource in any other way. */
type KeepingHandler<O extends Operation> = (
  request: CanonicalRequest<O>,
  unit: ResourceTransaction,
  world: HandlerContext,
) => Promise<Output<O>>;

/** The record alone: an answer may show what is sealed, or shown once, but nobody is told of it. */
const noticeOf = ({ kind, platform, revision, record }: StoredResource): ResourceEventData => ({
  kind,
  operation: revision === 1 ? 'created' : 'updated',
  platform,
  record,
});

/** The handler with its unit opened for it. */
export const withEvents =
  <O extends Operation>(handle: KeepingHandler<O>) =>
  async (request: CanonicalRequest<O>, unit: Transaction, world: HandlerContext): Promise<Output<O>> => {
    const noted: StoredResource[] = [];
    const output = await handle(request, { ...unit, changes: noted }, world);
    const { caller, pspReference } = request;
    await unit.enqueueEvents({
      company: caller.company,
      pspReference,
      at: world.clock.now(),
      events: noted.map(noticeOf),
    });
    return output;
  };
