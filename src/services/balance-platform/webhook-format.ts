/** The webhook format `configuration`: a resource of a balance platform as it is now, signed in a header. */
import type { WebhookFormat } from '../../jobs/webhooks/format.ts';
import { signatureHeaders } from '../../jobs/webhooks/signature.ts';
import { formatTimestamp } from '../../jobs/webhooks/timestamp.ts';
import { eventTypePrefix, type ResourceEventData, resourceEventType } from './events.ts';

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
