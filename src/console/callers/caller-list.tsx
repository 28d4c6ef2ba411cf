/** The table of callers with its filters, its download, and the call that replaces the last one. */
import { useMemo, useState } from 'preact/hooks';
import type { exportCallers, getReplacementCall, listCallers } from '../../operators/index.ts';
import { type Answer, pathOf, read, saveFile } from '../page/api.ts';
import {
  Badge,
  Button,
  CheckField,
  type Column,
  CopyButton,
  Dialog,
  Empty,
  ErrorBox,
  Filters,
  Loaded,
  Notice,
  Preformatted,
  SelectField,
  Sparkline,
  Table,
  Text,
  TextField,
  Time,
  useCredentialColumn,
  type ViewProps,
} from '../page/components/index.ts';
import { formatOption, formatTitle, languages } from '../page/formats.ts';
import { Link, useFilter } from '../page/routing.tsx';
import { useAction } from '../page/use-action.ts';
import { useNames } from '../page/use-names.ts';
import { useRead } from '../page/use-query.ts';
import { callOf } from './call-of.tsx';

type Callers = Answer<typeof listCallers>;
type Caller = Callers['callers'][number];

/** Records that one answer has. */
const rowsMax = 10_000;

const noFilter = {
  ...{ format: '', service: '', operation: '', version: '', credential: '', deprecation: '', days: '30' },
  noise: 'false',
};

export function CallerList({ gateway }: Pick<ViewProps, 'gateway'>) {
  const address = useFilter('/callers/list');
  const { text, choice } = address;
  const given = Object.entries(noFilter).map(([name, value]) => [name, address.query.get(name) ?? value]);
  const filter: typeof noFilter = { ...noFilter, ...Object.fromEntries(given) };
  const [opened, setOpened] = useState<Caller>();
  const names = useNames();
  const asked = { ...filter, credential: names?.idOf(filter.credential) ?? filter.credential };
  const query = useRead<typeof listCallers>('/callers', { ...asked, max: rowsMax }, { keepsValue: true });
  const { formats = [], services = [], operations = [], versions = [], isRecorded } = query.value ?? {};
  const action = useAction();
  const credential = useCredentialColumn();
  const columns = useMemo(() => [credential, ...otherColumns(setOpened)], [credential]);
  const download = (): void =>
    action.run(async () => {
      const { noise: _, ...exported } = asked;
      const { csv = '', fileName } = await read<typeof exportCallers>('/callers/export', exported);
      saveFile(fileName, csv);
      return '';
    });
  return (
    <>
      <Filters>
        <SelectField label="Format" {...choice('format')} none="all" options={formats.map(formatOption)} />
        <SelectField label="Service" {...choice('service')} none="all" options={services} />
        <SelectField label="Operation" {...choice('operation')} none="all" options={operations} />
        <SelectField label="Version" {...choice('version')} none="all" options={versions} />
        <TextField label="Credential" type="search" {...text('credential')} placeholder="name or id" />
        <SelectField
          label="Deprecated"
          {...choice('deprecation')}
          none="all"
          options={[{ value: 'any', text: 'only deprecated' }]}
        />
        <SelectField label="Days" {...choice('days')} value={filter.days} options={['7', '30', '90']} />
        <CheckField
          label="Scanners, typing errors and this console, too"
          checked={filter.noise === 'true'}
          onChange={(checked) => address.set('noise', checked ? 'true' : '')}
        />
        <Button onClick={download}>Download CSV</Button>
      </Filters>
      <ErrorBox error={action.error} />
      {isRecorded === false && <NotRecorded gateway={gateway} />}
      <Loaded query={query}>
        {({ callers, total }) => (
          <>
            {callers.length < total && (
              <p class="hint" role="status">
                The last used {callers.length.toLocaleString('en')} of {total.toLocaleString('en')} callers
              </p>
            )}
            <Table
              caption="Callers"
              name="callers"
              hasOwnFile
              columns={columns}
              rows={callers}
              keyOf={({ id }) => id}
              onOpen={setOpened}
              empty={
                isRecorded === false || isFiltered(filter) ? (
                  <Empty title="No such caller in these days" />
                ) : (
                  <NoCaller />
                )
              }
            />
          </>
        )}
      </Loaded>
      {opened !== undefined && <Replacement caller={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function isFiltered({ days: _, noise: __, ...values }: typeof noFilter): boolean {
  return Object.values(values).some((value) => value !== '');
}

/** Why there are no callers, or no new ones. */
export function NotRecorded({ gateway: { records } }: Pick<ViewProps, 'gateway'>) {
  return (
    <Notice tone="warning">
      {records === 'nowhere'
        ? 'Callers are not recorded: this gateway stores nothing.'
        : 'Callers are not recorded: CALLER_RECORDS is off.'}{' '}
      <Link to="/traffic">The traffic</Link> shows the last requests.
    </Notice>
  );
}

function NoCaller() {
  return (
    <Empty title="No call in these days">
      <p>Calls are counted here within a minute after their answer.</p>
    </Empty>
  );
}

function otherColumns(open: (caller: Caller) => void): readonly Column<Caller>[] {
  return [
    {
      name: 'Call',
      value: callOf,
      cell: (each) => (
        <Button
          kind="quiet"
          label={`The last call of ${callOf(each)} in ${formatTitle(each.format)}`}
          onClick={() => open(each)}
        >
          <Text value={callOf(each)} />
        </Button>
      ),
    },
    { name: 'Format', value: ({ format }) => formatTitle(format), narrow: true },
    { name: 'Client', cell: ({ client }) => <Text value={client} max={60} />, value: ({ client }) => client },
    {
      name: 'Used',
      value: ({ lastUsedAt }) => lastUsedAt,
      cell: ({ firstUsedAt, lastUsedAt }) => (
        <>
          <Time value={lastUsedAt} isRelative />
          <div class="hint">
            since <Time value={firstUsedAt} isRelative />
          </div>
        </>
      ),
      narrow: true,
    },
    numbers('OK', ({ succeeded }) => succeeded),
    numbers('Refused', ({ refused }) => refused),
    numbers('Failed', ({ failed }) => failed),
    numbers('Off', ({ switchedOff }) => switchedOff),
    { name: 'Trend', cell: ({ trend }) => <Sparkline values={trend} label={trendText(trend)} />, narrow: true },
    {
      name: 'Ends',
      cell: (each) => <Ends {...each} />,
      value: ({ deprecation, sunset }) => (deprecation === 'none' ? undefined : (sunset ?? deprecation)),
      narrow: true,
    },
  ];
}

/** A column of numbers. */
function numbers(name: string, value: (caller: Caller) => number): Column<Caller> {
  return { name, value, align: 'end', narrow: true };
}

function Ends({ deprecation, sunset }: Pick<Caller, 'deprecation' | 'sunset'>) {
  if (deprecation === 'none') return <span class="hint">–</span>;
  return <Badge tone={deprecation === 'exempt' ? 'info' : 'warning'}>{sunset ?? deprecation}</Badge>;
}

function Replacement({ caller, onClose }: { readonly caller: Caller; readonly onClose: () => void }) {
  const [as, setAs] = useState('json');
  const path = pathOf`/callers/${caller.id}/replacement`;
  const { value, error } = useRead<typeof getReplacementCall>(path, { as }, { keepsValue: true });
  return (
    <Dialog title="The call that replaces it" place="side" onClose={onClose}>
      <p>
        The last call of <Text value={callOf(caller)} /> in {formatTitle(caller.format)} as JSON. Secrets are masked.
      </p>
      <SelectField label="As" value={as} onChange={setAs} options={[{ value: 'json', text: 'JSON' }, ...languages]} />
      <ErrorBox error={error} />
      {value !== undefined && (
        <>
          {(value.masked ?? []).length > 0 && (
            <Notice>
              Fill in: <Text value={value.masked.join(', ')} />
            </Notice>
          )}
          <CopyButton text={value.text} />
          <Preformatted label="Replacement" value={value.text} />
        </>
      )}
    </Dialog>
  );
}

/** Requests of each day, in words. */
function trendText(values: readonly number[]): string {
  const total = values.reduce((sum, value) => sum + value, 0);
  return `${total} requests in ${values.length} days, ${values.at(-1) ?? 0} today, at most ${Math.max(0, ...values)} a day`;
}
