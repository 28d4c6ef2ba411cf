/** The state of the gateway, in sections that each have an address. */
import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import type { listKeys } from '../../operators/index.ts';
import { PendingSection } from '../idempotency/pending.tsx';
import { RecordsSection } from '../idempotency/records.tsx';
import { type Answer, itemsOf } from '../page/api.ts';
import {
  Badge,
  Button,
  CheckField,
  type Column,
  Empty,
  Filters,
  Loaded,
  LoadedTable,
  OfAllTenants,
  Page,
  Section,
  Table,
  Text,
  Time,
  type ViewProps,
} from '../page/components/index.ts';
import { Link, useRoute } from '../page/routing.tsx';
import { useRead } from '../page/use-query.ts';
import { JobsSection, WebhooksSection } from '../webhooks/sections.tsx';
import { AuditSection } from './audit.tsx';
import type { listSettings } from './contract.ts';
import { ProcessesSection, ServicesSection, StoreSection, UpstreamsSection } from './parts.tsx';
import { type StateSection, stateSections } from './sections.tsx';

const contents: Readonly<Record<StateSection, ComponentType<ViewProps>>> = {
  webhooks: WebhooksSection,
  records: RecordsSection,
  pending: PendingSection,
  jobs: JobsSection,
  services: ServicesSection,
  upstreams: UpstreamsSection,
  store: StoreSection,
  processes: ProcessesSection,
  keys: KeysSection,
  settings: SettingsSection,
  audit: AuditSection,
};

const noWebhooks = 'This gateway has no database, so it sends no webhooks.';
const noJobs = 'This gateway has no database, so no work waits after an answer.';

/** Why a section is empty, by where idempotency records are. */
const reasons: Partial<
  Readonly<Record<StateSection, Partial<Readonly<Record<ViewProps['gateway']['records'], string>>>>>
> = {
  webhooks: { redis: noWebhooks, nowhere: noWebhooks },
  records: { nowhere: 'This gateway stores no records: the servers behind it recognize a retry by its key.' },
  pending: { nowhere: 'This gateway stores no requests: only the servers behind it know what a lost answer was.' },
  jobs: { redis: noJobs, nowhere: noJobs },
};

export default function StateView(props: ViewProps) {
  const { rest } = useRoute();
  const selected = stateSections.find(({ name }) => name === rest[0]) ?? stateSections[0];
  const Content = contents[selected.name];
  const { title, isOfAll } = selected;
  const { boundTenant } = props;
  const reason = reasons[selected.name]?.[props.gateway.records];
  return (
    <Page title="State" lead="What the gateway stores, waits for and is configured with. Secrets are never shown.">
      <ul class="subviews" aria-label="Sections">
        {stateSections
          .filter((each) => boundTenant === undefined || !each.isOfAll)
          .map((each) => (
            <li key={each.name}>
              <Link to={`/state/${each.name}`} current={each === selected}>
                {each.title}
              </Link>
            </li>
          ))}
      </ul>
      {boundTenant !== undefined && isOfAll ? (
        <OfAllTenants />
      ) : reason === undefined ? (
        <Content {...props} />
      ) : (
        <Section title={title}>
          <Empty title={reason} />
        </Section>
      )}
    </Page>
  );
}

type Key = Answer<typeof listKeys>['keys'][number];

function KeysSection() {
  const [countRows, setCountRows] = useState(false);
  const query = useRead<typeof listKeys>('/state/keys', { countRows: countRows || undefined });
  return (
    <Section
      title="Keys"
      actions={
        <Button onClick={() => setCountRows(true)} disabled={countRows}>
          Count rows
        </Button>
      }
    >
      <p class="hint">The keys themselves never leave the process. Counting rows reads the whole store.</p>
      <Loaded query={query}>
        {({ source, keys }) => (
          <>
            <p>
              From <Text value={source} />
            </p>
            <Table caption="Keys" columns={keyColumns} rows={itemsOf(keys)} keyOf={({ id }) => id} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

const keyTones = { current: 'good', old: 'warning', next: 'info', missing: 'bad' } as const;

const keyColumns: readonly Column<Key>[] = [
  { name: 'Id', cell: ({ id }) => <code>{id}</code> },
  { name: 'For', cell: ({ kind }) => kind },
  { name: 'State', cell: ({ state }) => <Badge tone={keyTones[state]}>{state}</Badge> },
  {
    name: 'Used since',
    cell: ({ usedSince }) => (usedSince === undefined ? 'not recorded' : <Time value={usedSince} />),
  },
  { name: 'Rows', cell: ({ rows }) => rows?.toLocaleString('en') ?? '', align: 'end' },
];

type Setting = Answer<typeof listSettings>['settings'][number];

function SettingsSection() {
  const [onlySet, setOnlySet] = useState(false);
  const query = useRead<typeof listSettings>('/state/settings');
  return (
    <Section title="Settings">
      <Filters>
        <CheckField label="Only those that are set" checked={onlySet} onChange={setOnlySet} />
      </Filters>
      <LoadedTable
        query={query}
        caption="Settings"
        name="settings"
        columns={settingColumns}
        rows={({ settings }) => itemsOf(settings).filter(({ isDefault }) => !(onlySet && isDefault))}
        keyOf={({ name }) => name}
        empty="No setting is found."
      />
    </Section>
  );
}

const settingColumns: readonly Column<Setting>[] = [
  {
    name: 'Setting',
    value: ({ name, doc }) => `${name}: ${doc}`,
    cell: ({ name, doc }) => (
      <>
        <code>{name}</code>
        <div class="hint">{doc.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</div>
      </>
    ),
  },
  {
    name: 'Value',
    value: ({ value }) => value,
    cell: ({ value, unit }) => (
      <div class="setting-value">
        <Text value={value} />
        <div class="hint">{unit}</div>
      </div>
    ),
  },
  {
    name: 'Source',
    value: ({ source }) => source,
    cell: ({ source, isDefault }) => (isDefault ? 'default' : <Text value={source} />),
  },
];
