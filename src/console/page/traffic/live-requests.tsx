/** The list of requests, newest first, with filters and a button that pauses it. */
import { useState } from 'preact/hooks';
import {
  Button,
  type Column,
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
} from '../components/index.ts';
import { formatOption, formatTitle } from '../formats.ts';
import { Link, navigate, useRoute } from '../routing.tsx';
import { KeyBadge, Outcome } from './outcome.tsx';
import { type LiveTraffic, rowsMax, type TrafficFilter, type TrafficLine, useTraffic } from './use-traffic.ts';

const formats = ['soap11', 'soap12', 'json', 'form', 'adapter', 'rest', 'document'];
const outcomes = [
  { value: '', text: 'any' },
  { value: 'ok', text: 'ok' },
  { value: 'refused', text: 'refused' },
  { value: 'failed', text: 'failed' },
  { value: 'replayed', text: 'replayed' },
];
const filterNames = ['format', 'operation', 'version', 'caller', 'outcome', 'reference'] as const;

export function LiveRequests() {
  const { query } = useRoute();
  const [isPaused, setPaused] = useState(false);
  const filter: TrafficFilter = Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = query.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
  const traffic = useTraffic(filter, isPaused);
  const change = (name: keyof TrafficFilter, value: string): void => {
    const next = new URLSearchParams(query);
    if (value === '') next.delete(name);
    else next.set(name, value);
    const text = next.toString();
    navigate(`/traffic${text === '' ? '' : `?${text}`}`, { replace: true });
  };
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
      <FilterFields filter={filter} traffic={traffic} onChange={change} />
      <ErrorBox error={traffic.error} />
      {traffic.state === 'loading' ? (
        <Loading />
      ) : (
        <div class="traffic-list">
          <Table
            caption="Requests"
            columns={columns}
            rows={traffic.requests}
            keyOf={({ id }) => id}
            onOpen={({ id }) => navigate(`/traffic/${id}`)}
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
  readonly filter: TrafficFilter;
  readonly traffic: LiveTraffic;
  readonly onChange: (name: keyof TrafficFilter, value: string) => void;
}

function FilterFields({ filter, traffic, onChange }: FilterFieldsProps) {
  const seen = (of: (line: TrafficLine) => string | undefined): readonly string[] =>
    [...new Set(traffic.requests.map(of))].filter((each) => each !== undefined).slice(0, suggestionsMax);
  return (
    <Filters>
      <SelectField
        label="Format"
        value={filter.format ?? ''}
        options={[{ value: '', text: 'any' }, ...formats.map(formatOption)]}
        onChange={(value) => onChange('format', value)}
      />
      <TextField
        label="Operation"
        value={filter.operation ?? ''}
        options={seen(({ operation }) => operation)}
        onInput={(value) => onChange('operation', value)}
      />
      <TextField
        label="Version"
        value={filter.version ?? ''}
        options={seen(({ version }) => version?.toString())}
        onInput={(value) => onChange('version', value)}
      />
      <TextField
        label="Caller"
        value={filter.caller ?? ''}
        options={seen(({ caller }) => caller)}
        onInput={(value) => onChange('caller', value)}
      />
      <SelectField
        label="Outcome"
        value={filter.outcome ?? ''}
        options={outcomes}
        onChange={(value) => onChange('outcome', value)}
      />
      <TextField
        label="Reference"
        value={filter.reference ?? ''}
        onInput={(value) => onChange('reference', value)}
        monospace
      />
    </Filters>
  );
}

const suggestionsMax = 50;

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

const columns: readonly Column<TrafficLine>[] = [
  {
    name: 'Time',
    cell: ({ id, at }) => <Link to={`/traffic/${id}`}>{clock.format(at)}</Link>,
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
    cell: ({ caller }) => (caller === undefined ? <span class="hint">unknown</span> : <Text value={caller} max={80} />),
  },
  { name: 'Outcome', cell: (line) => <Outcome line={line} />, narrow: true },
  { name: 'Idempotency', cell: ({ key }) => <KeyBadge value={key} />, narrow: true },
  { name: 'Time taken', cell: ({ ms }) => formatMs(ms), align: 'end', narrow: true },
  { name: 'Reference', cell: ({ reference }) => <code>{reference}</code>, narrow: true },
];
