/** The sections of the state, as the view and the search list them. */

/** The sections of the state, in the order of their list. `isOfAll`: it is about all tenants, and refused for people of one. */
export const stateSections = [
  { name: 'webhooks', title: 'Webhooks', isOfAll: false },
  { name: 'records', title: 'Idempotency', isOfAll: false },
  { name: 'pending', title: 'Pending requests', isOfAll: false },
  { name: 'jobs', title: 'Jobs', isOfAll: true },
  { name: 'services', title: 'Services', isOfAll: true },
  { name: 'upstreams', title: 'Upstreams', isOfAll: true },
  { name: 'store', title: 'Store', isOfAll: true },
  { name: 'processes', title: 'Processes', isOfAll: true },
  { name: 'keys', title: 'Keys', isOfAll: true },
  { name: 'settings', title: 'Settings', isOfAll: true },
  { name: 'audit', title: 'Audit log', isOfAll: false },
] as const;

export type StateSection = (typeof stateSections)[number]['name'];
