/** Rates, errors and times of the last hour by format and operation, and its callers. */
import { type Answer, itemsOf } from '../page/api.ts';
import {
  Chart,
  type Column,
  Credential,
  Empty,
  formatMs,
  Loaded,
  Section,
  Table,
  type ViewProps,
} from '../page/components/index.ts';
import { formatTitle } from '../page/formats.ts';
import { Link } from '../page/routing.tsx';
import { useRead } from '../page/use-query.ts';
import type { getLastHour } from './contract.ts';

type Hour = Answer<typeof getLastHour>;
type Rate = Hour['operations'][number];
type FormatRate = Hour['formats'][number];

export function LastHourSection({ boundTenant }: Pick<ViewProps, 'boundTenant'>) {
  const query = useRead<typeof getLastHour>('/overview/hour', {}, { everyMs: 10_000 });
  return (
    <Section title="The last hour" actions={<Link to="/traffic">All traffic</Link>}>
      <Loaded query={query}>
        {(hour) =>
          boundTenant === undefined ? <Content hour={hour} /> : <CallersTable callers={itemsOf(hour.callers)} />
        }
      </Loaded>
    </Section>
  );
}

function Content({ hour: { isRecorded, from, ...hour } }: { readonly hour: Hour }) {
  const [formats, operations, callers] = [itemsOf(hour.formats), itemsOf(hour.operations), itemsOf(hour.callers)];
  if (!isRecorded) return <Empty title="Requests are not counted: TRAFFIC is off." />;
  if (formats.length === 0)
    return (
      <Empty title="No request in the last hour.">
        <p>
          <Link to="/explorer">The explorer</Link> sends one, and prints it as a program.
        </p>
      </Empty>
    );
  const begin = new Date(from).getTime();
  const times = Array.from({ length: 60 }, (_, at) => begin + (at + 1) * 60_000);
  return (
    <>
      <Chart
        title="Requests in each minute"
        times={times}
        series={formats.map(({ name, trend }) => ({ name, values: itemsOf(trend) }))}
        print={String}
      />
      <Table caption="Formats of the last hour" columns={formatColumns} rows={formats} keyOf={({ name }) => name} />
      <div class="tables">
        <Table
          caption="Operations of the last hour"
          columns={[{ name: 'Operation', cell: ({ name }) => <Operation name={name} /> }, ...rateColumns]}
          rows={operations}
          keyOf={({ name }) => name}
          empty="No operation was called."
        />
        <CallersTable callers={callers} />
      </div>
    </>
  );
}

function CallersTable({ callers }: { readonly callers: readonly Rate[] }) {
  return (
    <Table
      caption="Callers of the last hour"
      columns={[{ name: 'Top callers', cell: ({ name }) => <Credential id={name} /> }, ...rateColumns.slice(0, 2)]}
      rows={callers}
      keyOf={({ name }) => name}
      empty="No known caller. What the console sends does not count."
    />
  );
}

/** `Recurring.disable` leads to its requests. */
function Operation({ name }: { readonly name: string }) {
  const operation = name.slice(name.indexOf('.') + 1);
  return <Link to={`/traffic?operation=${encodeURIComponent(operation)}`}>{name}</Link>;
}

const rateColumns: readonly Column<Rate>[] = [
  { name: 'Requests', cell: ({ requests }) => requests.toLocaleString('en'), align: 'end', narrow: true },
  {
    name: 'Errors',
    cell: ({ requests, refused, failed }) => shareOf(refused + failed, requests),
    align: 'end',
    narrow: true,
  },
  { name: 'p50', cell: ({ p50 }) => formatMs(p50), align: 'end', narrow: true },
  { name: 'p99', cell: ({ p99 }) => formatMs(p99), align: 'end', narrow: true },
];

const formatColumns: readonly Column<FormatRate>[] = [
  { name: 'Format', cell: ({ name }) => formatTitle(name) },
  ...rateColumns,
  { name: 'This hour yesterday', cell: ({ yesterday }) => yesterday.toLocaleString('en'), align: 'end', narrow: true },
];

function shareOf(part: number, whole: number): string {
  return `${part.toLocaleString('en')} (${((100 * part) / whole).toFixed(part === 0 ? 0 : 1)} %)`;
}
