/** Every view of the console, and every section of one: tests that walk all of them read this table. */

export interface ConsoleView {
  /** Names its picture. */
  readonly name: string;
  /** Below `/console`. */
  readonly path: string;
  /** The same with something in it, where a gateway serves the built-in services. */
  readonly filled?: string;
  /** Only the demo has it. */
  readonly isOfDemo?: true;
}

const ofState = ['webhooks', 'records', 'pending', 'jobs', 'services', 'upstreams', 'store', 'processes', 'keys'];

export const consoleViews: readonly ConsoleView[] = [
  { name: 'overview', path: '/overview' },
  { name: 'explorer', path: '/explorer', filled: '/explorer/Recurring/68/storeToken' },
  { name: 'converter', path: '/explorer/convert' },
  { name: 'traffic', path: '/traffic' },
  { name: 'callers', path: '/callers/list' },
  { name: 'readiness', path: '/callers/readiness', filled: '/callers/readiness?kind=format&value=soap11' },
  { name: 'report', path: '/callers/report' },
  { name: 'deprecations', path: '/callers/deprecations' },
  { name: 'shadow', path: '/shadow' },
  ...[...ofState, 'settings', 'audit'].map((section) => ({ name: `state-${section}`, path: `/state/${section}` })),
  { name: 'actions', path: '/actions', filled: '/actions/addCredential' },
  { name: 'docs', path: '/docs', filled: '/docs/callers' },
  { name: 'testing', path: '/testing', isOfDemo: true },
];
