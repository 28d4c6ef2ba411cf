/** MACs of announced card changes. */
import type { Migration } from '../migration.ts';

export const announcedChangeMacs: Migration = Object.freeze<Migration>({
  number: 28,
  name: 'announced-change-macs',
  statements: Object.freeze(['alter table announced_change add column row_mac text']),
  signed: ['announced_change'],
});
