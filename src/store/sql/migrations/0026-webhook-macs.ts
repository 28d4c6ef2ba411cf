/** MACs of webhook endpoints. */
import type { Migration } from '../migration.ts';

export const webhookMacs: Migration = Object.freeze<Migration>({
  number: 26,
  name: 'webhook-macs',
  statements: Object.freeze(['alter table webhook_endpoint add column row_mac text']),
  signed: ['webhook_endpoint'],
});
