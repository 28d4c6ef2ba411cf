/** Tells the company what a request did to the resources of its platform: all of it, at the end of the same unit. */
import type { CanonicalRequest } from '../../contract/canonical.ts';
import type { Operation, Output } from '../../contract/operation.ts';
import type { World } from '../../gateway/handler.ts';
import type { Unit } from '../../store/transaction.ts';
import type { ResourceNotice } from '../../webhooks/event.ts';
import type { Kept } from './resource.ts';
import type { Keeping } from './save-resource.ts';

/** What it notes is told; it writes no resource in any other way. */
type KeepingHandler<O extends Operation> = (
  request: CanonicalRequest<O>,
  unit: Keeping,
  world: World,
) => Promise<Output<O>>;

/** The record alone: an answer may show what is sealed, or shown once, but nobody is told of it. */
const noticeOf = ({ kind, platform, revision, record }: Kept): ResourceNotice => ({
  kind,
  operation: revision === 1 ? 'created' : 'updated',
  platform,
  record,
});

/** The handler with its unit opened for it. */
export const telling =
  <O extends Operation>(handle: KeepingHandler<O>) =>
  async (request: CanonicalRequest<O>, unit: Unit, world: World): Promise<Output<O>> => {
    const noted: Kept[] = [];
    const output = await handle(request, { ...unit, noted }, world);
    const { caller, pspReference } = request;
    await unit.tell({ company: caller.company, pspReference, at: world.clock.now(), notices: noted.map(noticeOf) });
    return output;
  };
