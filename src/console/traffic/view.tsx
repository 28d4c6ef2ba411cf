/** Traffic: the requests as they are answered, their rates, and one of them with its details. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../page/api.ts';
import {
  Chart,
  formatMs,
  Loaded,
  OfAllTenants,
  Page,
  Section,
  SelectField,
  type Series,
  Table,
  Time,
  type ViewProps,
} from '../page/components/index.ts';
import { formatTitle } from '../page/formats.ts';
import { useRoute } from '../page/routing.tsx';
import { useRead } from '../page/use-query.ts';
import { RequestPage } from '../request/request.tsx';
import type { getTrafficRates } from './contract.ts';
import { LiveRequests } from './live-requests.tsx';

export default function TrafficView({ gateway, boundTenant }: ViewProps) {
  const { rest } = useRoute();
  const [id] = rest;
  const opened = useRef(id);
  useEffect(() => {
    // The link that was followed is gone: the keyboard and the page go on at the heading.
    if (opened.current !== id) document.querySelector<HTMLElement>('main h1')?.focus();
    opened.current = id;
  }, [id]);
  if (id !== undefined) return <RequestPage key={id} id={id} />;
  return (
    <Page
      title="Traffic"
      lead="Requests as they are answered. They are kept in memory only, and everything secret in them is masked."
    >
      <LiveRequests gateway={gateway} />
      {boundTenant === undefined ? (
        <RatesSection />
      ) : (
        <Section title="Rates and times by format">
          <OfAllTenants />
        </Section>
      )}
    </Page>
  );
}

type Rates = Answer<typeof getTrafficRates>;
type Share = 'p50' | 'p95' | 'p99';

const shares: readonly { readonly value: Share; readonly text: string }[] = [
  { value: 'p50', text: 'median' },
  { value: 'p95', text: '95th percentile' },
  { value: 'p99', text: '99th percentile' },
];
const periods = [
  { value: 'hour', text: 'the last hour, by minute' },
  { value: 'day', text: 'the last day, by five minutes' },
];

function RatesSection() {
  const [period, setPeriod] = useState('hour');
  const [share, setShare] = useState<Share>('p95');
  const query = useRead<typeof getTrafficRates>('/traffic/rates', { period }, { everyMs: 10_000 });
  return (
    <Section title="Rates and times by format">
      <div class="row">
        <SelectField label="Period" value={period} options={periods} onChange={setPeriod} />
        <SelectField label="Times" value={share} options={shares} onChange={(chosen) => setShare(chosen as Share)} />
      </div>
      <Loaded query={query}>{(rates) => <Charts rates={rates} share={share} />}</Loaded>
      <p class="hint">Counted in memory since the gateway started: a restart loses what was before it.</p>
    </Section>
  );
}

function Charts({ rates, share }: { readonly rates: Rates; readonly share: Share }) {
  const { from, until, stepMs, formats } = rates;
  const times = Array.from({ length: Math.max(Math.ceil((until - from) / stepMs), 1) }, (_, at) => from + at * stepMs);
  const seriesOf = (value: (point: Rates['formats'][number]['points'][number]) => number, without: number | null) =>
    formats.map(({ format, points }): Series => {
      const byTime = new Map(points.map((point) => [point.at, value(point)]));
      return { name: format, values: times.map((at) => byTime.get(at) ?? without) };
    });
  const minutes = stepMs / 60_000;
  if (formats.length === 0) return <p>No request in this time.</p>;
  return (
    <>
      <div class="charts">
        <Chart
          title="Requests per minute"
          times={times}
          series={seriesOf(({ requests }) => requests / minutes, 0)}
          print={(value) => (value < 10 ? value.toFixed(1) : String(Math.round(value)))}
        />
        <Chart
          title={`Time, ${shares.find(({ value }) => value === share)!.text}`}
          times={times}
          series={seriesOf((point) => point[share], null)}
          print={formatMs}
        />
      </div>
      <details>
        <summary>The same as a table</summary>
        <RatesTable rates={rates} />
      </details>
    </>
  );
}

function RatesTable({ rates }: { readonly rates: Rates }) {
  const rows = rates.formats
    .flatMap(({ format, points }) => points.map((point) => ({ format, ...point })))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, rowsMax);
  return (
    <Table
      caption="Rates and times by format"
      rows={rows}
      keyOf={({ format, at }) => `${format} ${at}`}
      columns={[
        { name: 'From', cell: ({ at }) => <Time value={at} />, narrow: true },
        { name: 'Format', cell: ({ format }) => formatTitle(format), narrow: true },
        { name: 'Requests', cell: ({ requests }) => requests, align: 'end' },
        { name: 'Refused', cell: ({ refused }) => refused, align: 'end' },
        { name: 'Failed', cell: ({ failed }) => failed, align: 'end' },
        { name: 'Median', cell: ({ p50 }) => formatMs(p50), align: 'end' },
        { name: '95th percentile', cell: ({ p95 }) => formatMs(p95), align: 'end' },
        { name: '99th percentile', cell: ({ p99 }) => formatMs(p99), align: 'end' },
      ]}
    />
  );
}

const rowsMax = 500;
