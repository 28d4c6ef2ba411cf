/** The events of resources: one for each state that a request writes, enqueued in its transaction. */
import type { CanonicalRequest, Operation, Output } from '../../core/contract/index.ts';
import type { HandlerContext } from '../../core/gateway/index.ts';
import type { Vault } from '../../core/vault/index.ts';
import type { Store, Transaction } from '../../stores/index.ts';
import { type DomainEvent, formatTimestamp, signatureHeaders, type WebhookFormat } from '../../stores/jobs/index.ts';
import { accountHolders } from './account-holders/kind.ts';
import { openHolder } from './account-holders/secrets.ts';
import type { ResourceRecord, StoredResource } from './resource.ts';
import { ResourceReader, ResourceRepository } from './store/repository.ts';

export interface ResourceEventData<R extends ResourceRecord = ResourceRecord> {
  /** The name of its kind. */
  readonly kind: string;
  readonly operation: 'created' | 'updated';
  readonly platform: string;
  /** Contains no sealed value. */
  readonly record: R;
}

/** A writing handler; the events of what it writes are enqueued at its end. */
type ResourceHandler<O extends Operation> = (
  request: CanonicalRequest<O>,
  resources: ResourceRepository,
  context: HandlerContext,
) => Promise<Output<O>>;

/** Gives the handler the resources of its transaction, and enqueues an event for each state that it writes. */
export function withEvents<O extends Operation>(handle: ResourceHandler<O>) {
  return async (request: CanonicalRequest<O>, tx: Transaction, context: HandlerContext): Promise<Output<O>> => {
    const resources = tx.repository(ResourceRepository);
    const before = resources.changes.length;
    const output = await handle(request, resources, context);
    const { caller, requestReference: pspReference } = request;
    const events = resources.changes.slice(before).map(resourceEvent);
    await tx.outbox.enqueue({
      tenant: caller.tenant,
      requestReference: pspReference,
      at: context.clock.now(),
      events,
    });
    return output;
  };
}

export function isResourceEvent(data: object): data is ResourceEventData {
  return 'record' in data;
}

const eventTypePrefix = 'balancePlatform.';

/** `balancePlatform.accountHolder.updated` */
export function resourceEventType({ kind, operation }: ResourceEventData): string {
  return `${eventTypePrefix}${kind}.${operation}`;
}

function resourceEvent({ kind, platform, revision, record }: StoredResource): DomainEvent<ResourceEventData> {
  const data: ResourceEventData = {
    kind: kind.name,
    operation: revision === 1 ? 'created' : 'updated',
    platform,
    record,
  };
  // The events of a resource stay in order.
  return { type: resourceEventType(data), orderingKey: JSON.stringify([platform, kind.name, record.id]), data };
}

export const configurationFormat: WebhookFormat<ResourceEventData> = Object.freeze<WebhookFormat<ResourceEventData>>({
  name: 'configuration',
  accepts: (eventType) => eventType.startsWith(eventTypePrefix),
  encode: ({ at, eventId, data }, { environment, ...keys }) => {
    const { kind, platform, record } = data;
    const body = JSON.stringify({
      data: { balancePlatform: platform, [kind]: record },
      environment,
      timestamp: formatTimestamp(at),
      type: resourceEventType(data),
    });
    // The body that receivers expect has no member for the id.
    return { body, headers: { EventId: eventId, ...signatureHeaders(keys, body) } };
  },
});

interface EventCompleterParts {
  readonly store: Pick<Store, 'read'>;
  readonly vault: Vault;
}

/** Returns a function that returns the data of an event as receivers get it. It throws `RowAltered`, and what the vault throws. */
export function createEventCompleter({ store, vault }: EventCompleterParts): (data: object) => Promise<object> {
  return async (data) => {
    if (!isResourceEvent(data) || data.kind !== accountHolders.name) return data;
    const { platform, record } = data;
    const holder = await store.read((tx) =>
      tx.repository(ResourceReader).findResource(accountHolders, platform, record.id),
    );
    if (holder === undefined) throw new Error('the account holder of an event is not stored');
    // It never changes.
    const { legalEntityId } = openHolder(holder, vault);
    return { ...data, record: { ...record, legalEntityId } };
  };
}
