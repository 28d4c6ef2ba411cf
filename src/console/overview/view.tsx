/** The first page: what the gateway serves, and whether its parts work. */

import { useState } from 'preact/hooks';
import { type Answer, itemsOf } from '../page/api.ts';
import {
  Badge,
  Button,
  type Column,
  Credential,
  ErrorBox,
  Facts,
  Loaded,
  LoadedTable,
  Notice,
  Page,
  Section,
  Table,
  Text,
  Time,
  type ViewProps,
} from '../page/components/index.ts';
import { Link, navigate } from '../page/routing.tsx';
import { useRead } from '../page/use-query.ts';
import type { getOverview, listAttention, listChanges } from './contract.ts';
import { LastHourSection } from './last-hour.tsx';

type Overview = Answer<typeof getOverview>;
type ServedService = Overview['services'][number];

export default function OverviewView({ boundTenant }: ViewProps) {
  const query = useRead<typeof getOverview>('/overview', {}, { everyMs: 10_000 });
  return (
    <Page title="Overview" lead="What this gateway serves, and whether its parts work.">
      <Welcome />
      <AttentionSection />
      <LastHourSection boundTenant={boundTenant} />
      <ChangesSection />
      <Loaded query={query}>{(overview) => <Content overview={overview} />}</Loaded>
    </Page>
  );
}

function Content({ overview }: { readonly overview: Overview }) {
  const { version, environment, isDemo, startedAt, workers, store, ready, parts, services } = overview;
  return (
    <>
      <div class="cards">
        <Section title="State">
          <Facts
            facts={[
              ['Ready', <Badge tone={ready ? 'good' : 'bad'}>{ready ? 'ready' : 'not ready'}</Badge>],
              ...parts.map(
                ({ name, result }) => [name, <Badge tone={result === 'ok' ? 'good' : 'bad'}>{result}</Badge>] as const,
              ),
            ]}
          />
        </Section>
        <Section title="Server">
          <Facts
            facts={[
              ['Environment', isDemo ? `${environment}, demo` : environment],
              ['Version', version],
              ['Started', <Time value={startedAt} isRelative />],
              ['Processes', workers],
              ['Store', store],
            ]}
          />
        </Section>
      </div>
      <Section title="Services">
        <Table caption="Services" columns={serviceColumns} rows={services} keyOf={({ name }) => name} />
      </Section>
    </>
  );
}

const serviceColumns: readonly Column<ServedService>[] = [
  {
    name: 'Service',
    cell: ({ name, doc }) => (
      <>
        <strong>{name}</strong>
        <div class="hint">{doc}</div>
      </>
    ),
  },
  { name: 'Versions', cell: ({ versions }) => versions, narrow: true },
  { name: 'Operations', cell: ({ operations }) => operations, align: 'end', narrow: true },
  { name: 'Address', cell: ({ address }) => <code>{address}</code> },
  {
    name: 'Documents',
    cell: ({ wsdl, openApi }) => (
      <span class="row">
        {wsdl !== undefined && <a href={wsdl}>WSDL</a>}
        <a href={openApi}>OpenAPI</a>
      </span>
    ),
  },
];

const welcomeHiddenKey = 'triglyph-console-welcome';

const welcomeCards = [
  {
    title: 'One interface, many formats',
    text: 'Callers send SOAP, JSON or FORM, and get the same answer in their format. The explorer sends any request.',
    button: 'Try an operation',
    path: '/explorer',
  },
  {
    title: 'Each request, explained',
    text: 'The traffic shows what was received, what it means, what is wrong with it and where the time went.',
    button: 'Watch the traffic',
    path: '/traffic',
  },
  {
    title: 'The end of an old format',
    text: 'The gateway counts who still calls how. Announce an end, rehearse it, and refuse the calls after it.',
    button: 'See who calls',
    path: '/callers',
  },
] as const;

/** Says what the gateway does, for the first visit. It is hidden for good on request. */
function Welcome() {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(welcomeHiddenKey) !== null);
  if (isHidden) return null;
  const hide = (): void => {
    localStorage.setItem(welcomeHiddenKey, 'hidden');
    setHidden(true);
  };
  return (
    <Section
      title="What this gateway does"
      actions={
        <Button kind="quiet" onClick={hide}>
          Hide
        </Button>
      }
    >
      <div class="cards welcome">
        {welcomeCards.map(({ title, text, button, path }) => (
          <section key={path}>
            <h3>{title}</h3>
            <p>{text}</p>
            <Button onClick={() => navigate(path)}>{button}</Button>
          </section>
        ))}
      </div>
    </Section>
  );
}

const attentionWords = { bad: 'act', warning: 'look' } as const;

function AttentionSection() {
  const { value, error, reload } = useRead<typeof listAttention>('/overview/attention', {}, { everyMs: 30_000 });
  if (value === undefined) return <ErrorBox error={error} onRetry={reload} />;
  const items = itemsOf(value.items);
  return (
    <Section title="What needs attention">
      {!value.isComplete && <Notice tone="warning">Some checks were not possible.</Notice>}
      {items.length === 0 ? (
        <p>
          <Badge tone="good">nothing</Badge> Every webhook is delivered, every outcome is known, and no certificate ends
          soon.
        </p>
      ) : (
        <ul class="attention stack">
          {items.map(({ level, text, at, path }) => (
            <li key={text}>
              <Badge tone={level}>{attentionWords[level]}</Badge>
              <span>
                {path === undefined ? <Text value={text} /> : <Link to={path}>{text}</Link>}{' '}
                {at !== undefined && <Time value={at} />}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

type Change = Answer<typeof listChanges>['changes'][number];

const changesMax = 10;

function ChangesSection() {
  const query = useRead<typeof listChanges>('/overview/changes', {}, { everyMs: 30_000 });
  return (
    <Section title="Changed since yesterday" actions={<Link to="/state/audit">Audit log</Link>}>
      <LoadedTable
        query={query}
        caption="Changes of the last 24 hours"
        columns={changeColumns}
        rows={({ changes }) => itemsOf(changes).slice(0, changesMax)}
        empty="Nothing was changed, and no call is new."
      />
    </Section>
  );
}

const changeColumns: readonly Column<Change>[] = [
  { name: 'When', cell: ({ at }) => <Time value={at} isRelative />, narrow: true },
  {
    name: 'What',
    cell: ({ text, path }) => (
      <Link to={path}>
        <Text value={text} max={200} />
      </Link>
    ),
  },
  { name: 'By', cell: ({ by }) => (by === undefined ? 'the gateway' : <Credential id={by} />) },
];
