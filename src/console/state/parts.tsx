/** The parts of the gateway: services, upstreams, store and processes. */
import type { ComponentChildren } from 'preact';
import { type Answer, itemsOf } from '../page/api.ts';
import {
  Badge,
  type Column,
  Empty,
  Facts,
  Loaded,
  LoadedTable,
  Section,
  Table,
  Text,
  Time,
  type ViewProps,
} from '../page/components/index.ts';
import { Link } from '../page/routing.tsx';
import { useRead } from '../page/use-query.ts';
import type { getProcesses, getStore, listPanels, listUpstreams } from './contract.ts';

type Upstream = Answer<typeof listUpstreams>['upstreams'][number];
type StoreProcess = Answer<typeof getStore>['processes'][number];
type Processes = Answer<typeof getProcesses>;

const refresh = { everyMs: 10_000 } as const;

export function ServicesSection() {
  const query = useRead<typeof listPanels>('/state/panels', {}, refresh);
  return (
    <Loaded query={query}>
      {({ panels }) =>
        itemsOf(panels).length === 0 ? (
          <Section title="Services">
            <Empty title="The services of this gateway show nothing of their own here.">
              <p>
                <Link to="/">The overview</Link> lists what they serve, and <Link to="/state/upstreams">Upstreams</Link>{' '}
                what answers.
              </p>
            </Empty>
          </Section>
        ) : (
          itemsOf(panels).map(({ name, title, doc, facts }) => (
            <Section key={name} title={title}>
              <p class="hint">{doc}</p>
              <Facts
                facts={itemsOf(facts).map((each) => [
                  each.name,
                  <>
                    <Text value={each.value} /> {each.needsAttention && <Badge tone="warning">look at it</Badge>}
                  </>,
                ])}
              />
            </Section>
          ))
        )
      }
    </Loaded>
  );
}

export function UpstreamsSection() {
  const query = useRead<typeof listUpstreams>('/state/upstreams', {}, refresh);
  return (
    <Section title="Upstreams">
      <LoadedTable
        query={query}
        caption="Upstreams"
        columns={upstreamColumns}
        rows={({ upstreams }) => upstreams}
        keyOf={({ name }) => name}
        empty="This program answers every operation itself."
      />
    </Section>
  );
}

const upstreamColumns: readonly Column<Upstream>[] = [
  { name: 'Name', cell: ({ name }) => <strong>{name}</strong> },
  { name: 'Address', cell: ({ url }) => <Text value={url} /> },
  { name: 'Format', cell: ({ format }) => format, narrow: true },
  { name: 'Answers', cell: ({ answers }) => itemsOf(answers).join(', ') },
  { name: 'Same key', cell: ({ deduplicates }) => (deduplicates ? 'one effect' : 'not deduplicated') },
  {
    name: 'Breaker by process',
    cell: ({ processes }) => (
      <span class="row">
        {itemsOf(processes).map(({ pid, breaker, active, waiting }) => (
          <Badge key={pid} tone={breaker === 'closed' ? 'good' : 'bad'}>
            {`${pid}: ${breaker}, ${active} active, ${waiting} waiting`}
          </Badge>
        ))}
      </span>
    ),
  },
];

export function StoreSection({ gateway: { records } }: ViewProps) {
  const query = useRead<typeof getStore>('/state/store', {}, refresh);
  return (
    <Section title="Store and Redis">
      <Loaded query={query}>
        {({ engine, place, bytes, migration, migrationName, migratedAt, redis, processes }) => (
          <>
            <Facts
              facts={[
                ['Engine', engine],
                ['Place', <Text value={place} />],
                ['Size', bytes === undefined ? undefined : formatBytes(bytes)],
                ...(records === 'database'
                  ? ([
                      ['Migration', `${migration}, ${migrationName}`],
                      ['Migrated', <Time value={migratedAt} />],
                      ['Redis', redis ? 'configured' : 'not configured: the store alone refuses duplicates'],
                    ] as const)
                  : ([['Database', withoutDatabase[records]]] as const)),
              ]}
            />
            <Table
              caption="By process"
              columns={storeColumns}
              rows={itemsOf(processes)}
              keyOf={({ pid }) => String(pid)}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}

const withoutDatabase = {
  redis: 'none: Redis has the records of requests with a key, and those that are pending',
  nowhere: 'none: the servers behind this gateway recognize retries',
} as const;

const connections = (count: number | undefined): ComponentChildren => (count === undefined ? 'none' : count);

const storeColumns: readonly Column<StoreProcess>[] = [
  { name: 'Process', cell: ({ pid }) => pid },
  { name: 'Connections in use', cell: ({ busy }) => connections(busy), align: 'end' },
  { name: 'Idle', cell: ({ idle }) => connections(idle), align: 'end' },
  { name: 'Requests that wait', cell: ({ waiting }) => connections(waiting), align: 'end' },
  {
    name: 'Redis',
    cell: ({ redis }) => redis !== undefined && <Badge tone={redis === 'up' ? 'good' : 'bad'}>{redis}</Badge>,
  },
];

export function ProcessesSection() {
  const query = useRead<typeof getProcesses>('/state/processes', {}, refresh);
  return (
    <Loaded query={query}>
      {({ version, node, platform, processes, certificates }) => (
        <>
          <Section title="Build">
            <Facts
              facts={[
                ['Version', version],
                ['Node', node],
                ['Platform', platform],
              ]}
            />
          </Section>
          <Section title="Processes">
            <Table
              caption="Processes"
              columns={processColumns}
              rows={itemsOf(processes)}
              keyOf={({ pid }) => String(pid)}
            />
          </Section>
          <Section title="Certificates">
            <Table
              caption="Certificates"
              columns={certificateColumns}
              rows={itemsOf(certificates)}
              keyOf={({ name }) => name}
              empty="The gateway presents no certificate of its own."
            />
          </Section>
        </>
      )}
    </Loaded>
  );
}

const processColumns: readonly Column<Processes['processes'][number]>[] = [
  { name: 'Process', cell: ({ pid }) => pid },
  { name: 'Role', cell: ({ role }) => role },
  { name: 'Started', cell: ({ startedAt }) => <Time value={startedAt} isRelative /> },
  { name: 'Memory', cell: ({ memoryBytes }) => formatBytes(memoryBytes), align: 'end' },
];

const certificateColumns: readonly Column<Processes['certificates'][number]>[] = [
  { name: 'For', cell: ({ name }) => name },
  { name: 'Ends', cell: ({ expiresAt }) => <Time value={expiresAt} /> },
];

function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
