/** What an event is called. */
import type { Event } from './ports.ts';

/** `recurring.token.created`, `balancePlatform.accountHolder.updated` */
export const typeOf = (event: Event): string =>
  'record' in event ? `balancePlatform.${event.kind}.${event.operation}` : `recurring.token.${event.kind}`;
