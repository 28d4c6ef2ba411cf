/** The frame of a view: its heading, its actions and its sections. */
import type { ComponentChildren } from 'preact';
import type { LoggedIn } from '../api.ts';
import { Link, useRoute } from '../routing.tsx';

/** What every view gets. */
export interface ViewProps {
  /** Whether the session may act, and not only read. */
  readonly mayAct: boolean;
  /** The tenant that the person is bound to; absent for people who operate the gateway. */
  readonly boundTenant?: string | undefined;
  readonly gateway: LoggedIn['gateway'];
}

interface PageProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The page of the documentation about a view, or about a section of it. */
const helpPages: Readonly<Record<string, string>> = {
  '': 'console#overview',
  overview: 'console#overview',
  explorer: 'console#explorer',
  'explorer/convert': 'convert',
  traffic: 'console#traffic',
  callers: 'callers',
  shadow: 'shadow',
  state: 'console#state',
  'state/webhooks': 'webhooks',
  'state/records': 'exactly-once',
  'state/pending': 'upstreams',
  'state/upstreams': 'upstreams',
  'state/processes': 'operations#several-processes',
  'state/keys': 'keys',
  'state/settings': 'configuration',
  'state/audit': 'audit',
  actions: 'console#actions',
  testing: 'testing',
};

export function Page({ title, lead, actions, children }: PageProps) {
  const { view, rest } = useRoute();
  const help = helpPages[`${view}/${rest[0]}`] ?? helpPages[view];
  return (
    <>
      <header class="page-header">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        <div class="actions">
          {actions}
          {help !== undefined && <Link to={`/docs/${help}`}>Documentation</Link>}
        </div>
      </header>
      {children}
    </>
  );
}

interface SectionProps {
  readonly title?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ title, actions, children }: SectionProps) {
  return (
    <section class="section">
      {title !== undefined && (
        <header>
          <h2>{title}</h2>
          {actions !== undefined && <div class="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** Names with their values. A fact without a value is left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
