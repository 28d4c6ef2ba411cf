/** Tells the company what a request did to the resources of its platform: all of it, at the end of the same unit. */
import type { CanonicalRequest } from '../../contract/canonical.ts';
import type { Operation, Output } from '../../contract/operation.ts';
import type { HandlerContext } from '../../gateway/handler.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { ResourceEventData } from '../../webhooks/event.ts';
import type { StoredResource } from './resource.ts';
import { ResourceRepository } from './store/repository.ts';

/** A writing handler; the events of what it writes are enqueued at its end. */
type ResourceHandler<O extends Operation> = (
  request: CanonicalRequest<O>,
  resources: ResourceRepository,
  context: HandlerContext,
) => Promise<Output<O>>;

/** The record alone: an answer may show what is sealed, or shown once, but nobody is told of it. */
const noticeOf = ({ kind, platform, revision, record }: StoredResource): ResourceEventData => ({
  kind,
  operation: revision === 1 ? 'created' : 'updated',
  platform,
  record,
});

/** The handler with the resources of its transaction; enqueues an event for each state that it writes. */
export const withEvents =
  <O extends Operation>(handle: ResourceHandler<O>) =>
  async (request: CanonicalRequest<O>, tx: Transaction, context: HandlerContext): Promise<Output<O>> => {
    const resources = tx.repository(ResourceRepository);
    const before = resources.changes.length;
    const output = await handle(request, resources, context);
    const { caller, pspReference } = request;
    const events = resources.changes.slice(before).map(noticeOf);
    await tx.outbox.enqueue({ company: caller.company, pspReference, at: context.clock.now(), events });
    return output;
  };
