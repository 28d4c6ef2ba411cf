/** Formats of webhook messages. A service declares those of its events; an endpoint has one of them. */
import type { QueuedEvent } from './event.ts';
import type { Message, Origin } from './message.ts';

export interface WebhookFormat<Data extends object = never> {
  /** The name that endpoints give. */
  readonly name: string;
  /** Whether endpoints with this format receive events of this type. */
  accepts(eventType: string): boolean;
  /** Whether receivers that are written for the format do not know an accepted type: an endpoint gets it only where it names it. */
  isExtra?(eventType: string): boolean;
  /** Encodes an event of an accepted type. */
  encode(event: QueuedEvent<Data>, origin: Origin): Message;
}

export class WebhookFormats {
  readonly all: readonly WebhookFormat[];

  constructor(formats: readonly WebhookFormat[]) {
    this.all = formats;
  }

  /** Throws for a name that no service declares. */
  get(name: string): WebhookFormat {
    const format = this.all.find((each) => each.name === name);
    if (format === undefined) throw new TypeError(`no service declares the webhook format ${name}`);
    return format;
  }
}
