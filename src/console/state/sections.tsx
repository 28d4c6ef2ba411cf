/** The sections of the state, as the view and the search list them. */

/** The sections of the state, in the order of their list. */
export const stateSections = [
  { name: 'webhooks', title: 'Webhooks' },
  { name: 'records', title: 'Idempotency' },
  { name: 'pending', title: 'Pending requests' },
  { name: 'jobs', title: 'Jobs' },
  { name: 'services', title: 'Services' },
  { name: 'upstreams', title: 'Upstreams' },
  { name: 'store', title: 'Store' },
  { name: 'processes', title: 'Processes' },
  { name: 'keys', title: 'Keys' },
  { name: 'settings', title: 'Settings' },
  { name: 'audit', title: 'Audit log' },
] as const;

export type StateSection = (typeof stateSections)[number]['name'];
