/** The report of a migration: what would break, who answers for it, and what replays and shadows have found. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { exportMigrationReport, getMigrationReport, setCallerOwner } from '../../operators/index.ts';
import { type Answer, itemsOf, pathOf, read, saveFile, send } from '../page/api.ts';
import {
  Badge,
  Button,
  type Column,
  Confirm,
  Empty,
  Facts,
  Filters,
  Loaded,
  Notice,
  Outcome,
  Section,
  SelectField,
  Table,
  Text,
  TextField,
  Time,
  type Tone,
  useCredentialColumn,
  useTexts,
} from '../page/components/index.ts';
import { formatOption, formatTitle } from '../page/formats.ts';
import { Link } from '../page/routing.tsx';
import { useAction } from '../page/use-action.ts';
import { useRead } from '../page/use-query.ts';
import { callOf } from './call-of.tsx';

type Report = Answer<typeof getMigrationReport>;
type Caller = Report['callers'][number];
type Comparison = Report['comparisons'][number];

const tones: Readonly<Record<Report['risk'], Tone>> = { none: 'neutral', low: 'good', medium: 'warning', high: 'bad' };
const mediaTypes = { html: 'text/html', csv: 'text/csv', json: 'application/json' } as const;
const endings = ['soap11,soap12', 'soap11', 'soap12', 'form', 'soap11,soap12,form,adapter'];

export function ReportPanel({ mayAct }: { readonly mayAct: boolean }) {
  const { values: target, choice } = useTexts({ format: 'soap11,soap12', weeks: '12' });
  const [owned, setOwned] = useState<Caller>();
  const query = useRead<typeof getMigrationReport>('/callers/report', target, { keepsValue: true });
  const action = useAction();
  const download = (as: keyof typeof mediaTypes): void =>
    action.run(async () => {
      const path = '/callers/report/export';
      const { fileName, content } = await read<typeof exportMigrationReport>(path, { ...target, as });
      saveFile(fileName, content, mediaTypes[as]);
      return '';
    });
  const save = (credential: string, name: string, address: string): void =>
    action.run(async () => {
      await send<typeof setCallerOwner>(pathOf`/callers/owners/${credential}`, { name, address });
      setOwned(undefined);
      query.reload();
      return 'The owner is set.';
    });
  return (
    <>
      <Filters>
        <SelectField label="If this ended today" {...choice('format')} options={endings.map(formatOption)} />
        <SelectField label="Weeks" {...choice('weeks')} options={['4', '12', '26', '53']} />
        <Button onClick={() => download('html')}>Download the page</Button>
        <Button onClick={() => download('csv')}>CSV</Button>
        <Button onClick={() => download('json')}>JSON</Button>
      </Filters>
      <Outcome action={action} />
      <Loaded query={query}>{(report) => <Sections report={report} onOwner={mayAct ? setOwned : undefined} />}</Loaded>
      {owned !== undefined && <OwnerDialog caller={owned} onClose={() => setOwned(undefined)} onSave={save} />}
    </>
  );
}

interface SectionsProps {
  readonly report: Report;
  readonly onOwner: ((caller: Caller) => void) | undefined;
}

function Sections({ report, onOwner }: SectionsProps) {
  const { risk, totals } = report;
  const credential = useCredentialColumn();
  return (
    <>
      {itemsOf(report.lacks).map((each) => (
        <Notice key={each} tone="warning">
          The report lacks <Text value={each} />
        </Notice>
      ))}
      <p>
        Risk: <Badge tone={tones[risk]}>{risk}</Badge> {itemsOf(report.reasons).join('; ')}
      </p>
      <Facts
        facts={[
          ['Requests', totals.requests],
          ['Of these end', totals.ending],
          ['Not begun', totals.notBegun],
          ['Moving', totals.moving],
          ['Ready', totals.ready],
          ['Without an owner', totals.withoutOwner],
          ['Differences', `${totals.open} open, ${totals.accepted} accepted`],
        ]}
      />
      <Section title="Callers and owners">
        <Table
          caption="Callers and owners"
          name="report-callers"
          hasOwnFile
          columns={[credential, ...callerColumns(onOwner)]}
          rows={itemsOf(report.callers)}
          keyOf={({ credential, tenant = '' }) => `${tenant} ${credential}`}
          empty={<Empty title="No caller in these weeks." />}
        />
      </Section>
      <Section title="What breaks if these calls ended today">
        <Table
          caption="What breaks"
          name="report-breaks"
          columns={[credential, ...breakColumns]}
          rows={itemsOf(report.breaks)}
          keyOf={({ id }) => id}
          empty={<Empty title="Nothing would break." />}
        />
      </Section>
      {itemsOf(report.comparisons).map((each) => (
        <Differences key={each.name} name={each.name} differences={each.differences}>
          {each.compared} answers compared, {each.different} different, {each.unanswered} without an answer; saved{' '}
          <Time value={each.savedAt} isRelative />
        </Differences>
      ))}
      {itemsOf(report.shadows).map(({ upstream, differences }) => (
        <Differences key={upstream} name={`the shadow of ${upstream}`} differences={differences}>
          Of the copies that the shadow got. <Link to="/shadow">The view of shadows</Link> has examples.
        </Differences>
      ))}
    </>
  );
}

interface DifferencesProps {
  readonly name: string;
  readonly differences: Comparison['differences'];
  /** Of what they are. */
  readonly children: ComponentChildren;
}

function Differences({ name, differences, children }: DifferencesProps) {
  return (
    <Section title={`Differences: ${name}`}>
      <p class="hint">{children}</p>
      <Table
        caption={`Differences of ${name}`}
        name={`differences-${name}`}
        columns={differenceColumns}
        rows={itemsOf(differences)}
        keyOf={({ operation, path, kind }) => `${operation} ${path} ${kind}`}
        empty={<Empty title="No difference" />}
      />
    </Section>
  );
}

function callerColumns(onOwner: SectionsProps['onOwner']): readonly Column<Caller>[] {
  return [
    {
      name: 'Owner',
      value: ({ owner, address }) => [owner, address].filter((each) => each !== undefined).join(' '),
      cell: (each) => (
        <>
          <Text value={each.owner ?? 'nobody'} /> <Text value={each.address ?? ''} />{' '}
          {onOwner !== undefined && (
            <Button
              kind="quiet"
              label={`Set the owner of ${each.username ?? each.credential}`}
              onClick={() => onOwner(each)}
            >
              Set
            </Button>
          )}
        </>
      ),
    },
    {
      name: 'Risk',
      cell: ({ risk }) => <Badge tone={tones[risk]}>{risk}</Badge>,
      value: ({ risk }) => risk,
      narrow: true,
    },
    { name: 'Why', value: ({ reasons }) => itemsOf(reasons).join('; ') },
    { name: 'Requests', value: ({ requests }) => requests, align: 'end', narrow: true },
    { name: 'End', value: ({ ending }) => ending, align: 'end', narrow: true },
  ];
}

const breakColumns: readonly Column<Report['breaks'][number]>[] = [
  { name: 'Call', value: callOf },
  { name: 'Format', value: ({ format }) => formatTitle(format), narrow: true },
  { name: 'Client', cell: ({ client }) => <Text value={client} max={40} />, value: ({ client }) => client },
  { name: 'Requests', value: ({ requests }) => requests, align: 'end', narrow: true },
  { name: 'Other way', value: ({ hasReplacement }) => (hasReplacement ? 'yes' : 'no'), narrow: true },
];

const differenceColumns: readonly Column<Comparison['differences'][number]>[] = [
  { name: 'Operation', value: ({ operation }) => operation },
  { name: 'Member', value: ({ path }) => path },
  { name: 'Difference', value: ({ kind }) => kind, narrow: true },
  { name: 'Answers', value: ({ count }) => count, align: 'end', narrow: true },
  { name: 'Accepted', value: ({ accepted }) => accepted ?? 'no' },
];

interface OwnerProps {
  readonly caller: Caller;
  readonly onSave: (credential: string, name: string, address: string) => void;
  readonly onClose: () => void;
}

function OwnerDialog({ caller, onSave, onClose }: OwnerProps) {
  const [name, setName] = useState(caller.owner ?? '');
  const [address, setAddress] = useState(caller.address ?? '');
  return (
    <Confirm
      title="Who answers for this credential?"
      action="Set"
      disabled={name === '' || address === ''}
      onClose={onClose}
      onConfirm={() => onSave(caller.credential, name, address)}
    >
      <TextField label="Name" value={name} onInput={setName} required />
      <TextField label="Address" value={address} onInput={setAddress} required />
    </Confirm>
  );
}
