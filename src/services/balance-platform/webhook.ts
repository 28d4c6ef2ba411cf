/** An event in the format `configuration`: a resource of a balance platform as it is now, signed in a header. */
import { typeOf } from '../../webhooks/event-type.ts';
import type { Message, Origin } from '../../webhooks/message.ts';
import type { Event } from '../../webhooks/ports.ts';
import { signatureHeaders } from '../../webhooks/signature.ts';
import { formatTimestamp } from '../../webhooks/timestamp.ts';

/** Undefined where the format knows no such event. */
export const configurationMessage = (event: Event, { environment, key }: Origin): Message | undefined => {
  if (!('record' in event)) return undefined;
  const { at, eventId, kind, platform, record } = event;
  const body = JSON.stringify({
    data: { balancePlatform: platform, [kind]: record },
    environment,
    timestamp: formatTimestamp(at),
    type: typeOf(event),
  });
  // The body that receivers know has no place for the id.
  return { body, headers: { EventId: eventId, ...signatureHeaders(key, body) } };
};
