/** The first page: what the gateway serves, and whether its parts work. */

import type { Answer } from '../page/api.ts';
import {
  Badge,
  type Column,
  Facts,
  Loaded,
  Page,
  Section,
  Table,
  Time,
  type ViewProps,
} from '../page/components/index.ts';
import { useRead } from '../page/use-query.ts';
import { AttentionSection } from './attention.tsx';
import { ChangesSection } from './changes.tsx';
import type { getOverview } from './contract.ts';
import { LastHourSection } from './last-hour.tsx';
import { Welcome } from './welcome.tsx';

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
