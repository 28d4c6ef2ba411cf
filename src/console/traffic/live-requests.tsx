/** The list of requests, newest first, with filters and a button that pauses it. */
import { useState } from 'preact/hooks';
import {
  Button,
  type Column,
  Credential,
  Empty,
  ErrorBox,
  Filters,
  formatMs,
  Loading,
  Section,
  SelectField,
  Table,
  Text,
  TextField,
  Time,
  type ViewProps,
} from '../page/components/index.ts';
import { formatOption, formatTitle } from '../page/formats.ts';
import { type Filter, Link, navigate, useFilter } from '../page/routing.tsx';
import { type Names, useNames } from '../page/use-names.ts';
import { KeyBadge, Outcome } from './outcome.tsx';
import { type LiveTraffic, rowsMax, type TrafficLine, useTraffic } from './use-traffic.tsx';

const outcomes = ['ok', 'refused', 'failed', 'replayed'];
const filterNames = ['format', 'operation', 'version', 'caller', 'outcome', 'reference'] as const;

export function LiveRequests(props: Pick<ViewProps, 'gateway'>) {
  const names = useNames();
  return names === undefined ? <Loading /> : <List {...props} names={names} />;
}

function List({ gateway, names }: Pick<ViewProps, 'gateway'> & { readonly names: Names }) {
  const filter = useFilter('/traffic');
  const [isPaused, setPaused] = useState(false);
  const given = filterNames.map((name) => [name, filter.query.get(name) ?? ''] as const);
  const set = given.flatMap(([name, value]) =>
    value === '' ? [] : [[name, name === 'caller' ? names.idOf(value) : value]],
  );
  const traffic = useTraffic(Object.fromEntries(set), isPaused);
  return (
    <Section
      title="Requests"
      actions={
        <>
          <State traffic={traffic} isPaused={isPaused} />
          <Button pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            Pause
          </Button>
        </>
      }
    >
      <FilterFields filter={filter} traffic={traffic} names={names} formats={[...gateway.formats, 'document']} />
      <ErrorBox error={traffic.error} />
      {traffic.state === 'loading' ? (
        <Loading />
      ) : (
        <div class="traffic-list">
          <Table
            caption="Requests"
            columns={columns}
            rows={traffic.requests}
            // All rows are new each time: to fill them again costs less than to make others.
            {...(!traffic.isFast && { keyOf: ({ id }: TrafficLine) => id })}
            onOpen={openRequest}
            empty={
              <Empty title="No request yet.">
                <p>Requests appear here as they are answered.</p>
              </Empty>
            }
          />
        </div>
      )}
    </Section>
  );
}

function openRequest({ id }: TrafficLine): void {
  navigate(`/traffic/${id}`);
}

function State({ traffic, isPaused }: { readonly traffic: LiveTraffic; readonly isPaused: boolean }) {
  const { state, waiting, missed } = traffic;
  const texts = [
    isPaused
      ? `Paused${waiting === 0 ? '' : `, ${waiting === rowsMax ? `${rowsMax} or more` : waiting} new`}`
      : stateTexts[state],
    ...(missed === 0 ? [] : [`${missed.toLocaleString('en')} not shown: they came too fast, or while paused`]),
  ];
  return <span class="hint traffic-state">{texts.join(' · ')}</span>;
}

const stateTexts: Readonly<Record<LiveTraffic['state'], string>> = {
  loading: 'Loading',
  live: 'Live',
  reconnecting: 'Connecting again',
  failed: 'Not connected',
};

interface FilterFieldsProps {
  readonly formats: readonly string[];
  readonly filter: Filter;
  readonly traffic: LiveTraffic;
  readonly names: Names;
}

function FilterFields({ filter, traffic, names, formats }: FilterFieldsProps) {
  const seen = (of: (line: TrafficLine) => string | undefined): readonly string[] =>
    [...new Set(traffic.requests.map(of))].filter((each) => each !== undefined).slice(0, suggestionsMax);
  return (
    <Filters>
      <SelectField label="Format" {...filter.choice('format')} none="any" options={formats.map(formatOption)} />
      <TextField label="Operation" {...filter.text('operation')} options={seen(({ operation }) => operation)} />
      <TextField label="Version" {...filter.text('version')} options={seen(({ version }) => version?.toString())} />
      <TextField
        label="Caller"
        {...filter.text('caller')}
        options={seen(({ caller }) => caller && names.nameOf(caller))}
      />
      <SelectField label="Outcome" {...filter.choice('outcome')} none="any" options={outcomes} />
      <TextField label="Reference" {...filter.text('reference')} monospace />
    </Filters>
  );
}

const suggestionsMax = 50;

const columns: readonly Column<TrafficLine>[] = [
  {
    name: 'Time',
    cell: ({ id, at }) => (
      <Link to={`/traffic/${id}`}>
        <Time value={at} as="clock" />
      </Link>
    ),
    narrow: true,
  },
  { name: 'Format', cell: ({ format }) => formatTitle(format), narrow: true },
  {
    name: 'Operation',
    cell: ({ operation, version, method, path }) => (
      <>
        {operation === undefined ? <Text value={`${method} ${path ?? ''}`} max={80} /> : <strong>{operation}</strong>}{' '}
        {version !== undefined && <span class="hint">v{version}</span>}
      </>
    ),
  },
  {
    name: 'Caller',
    cell: ({ caller }) => <Credential id={caller} />,
  },
  { name: 'Outcome', cell: (line) => <Outcome line={line} />, narrow: true },
  { name: 'Idempotency', cell: ({ key }) => <KeyBadge value={key} />, narrow: true },
  { name: 'Time taken', cell: ({ ms }) => formatMs(ms), align: 'end', narrow: true },
  { name: 'Reference', cell: ({ reference }) => <code>{reference}</code>, narrow: true },
];
