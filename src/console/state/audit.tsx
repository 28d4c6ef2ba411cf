/** The audit log: entries by page and filter, and whether the chain is whole. */
import { useState } from 'preact/hooks';
import type { listAuditEntries, verifyAuditLog } from '../../operators/index.ts';
import { type Answer, itemsOf } from '../page/api.ts';
import {
  Button,
  type Column,
  Credential,
  ErrorBox,
  Filters,
  LoadedTable,
  Loading,
  Notice,
  Section,
  SelectField,
  Text,
  TextField,
  Time,
  type ViewProps,
} from '../page/components/index.ts';
import { useFilter } from '../page/routing.tsx';
import { useNames } from '../page/use-names.ts';
import { useRead } from '../page/use-query.ts';

type Entry = Answer<typeof listAuditEntries>['entries'][number];

export function AuditSection({ boundTenant }: ViewProps) {
  const filter = useFilter('/state/audit');
  const [isVerifying, setVerifying] = useState(false);
  const names = useNames();
  const given = [...filter.query].map(([name, value]) => [name, names?.idOf(value) ?? value]);
  const query = useRead<typeof listAuditEntries>('/state/audit', Object.fromEntries(given), { keepsValue: true });
  const { value } = query;
  const last = itemsOf(value?.entries).at(-1);
  return (
    <Section
      title="Audit log"
      actions={
        boundTenant === undefined && (
          <Button onClick={() => setVerifying(true)} disabled={isVerifying}>
            Verify the chain
          </Button>
        )
      }
    >
      {boundTenant !== undefined && <p class="hint">Entries that the credentials of {boundTenant} have caused.</p>}
      {isVerifying && <Verification />}
      <Filters>
        <SelectField label="Kind" {...filter.choice('kind')} none="all" options={itemsOf(value?.kinds)} />
        <TextField label="Actor" {...filter.text('actor')} />
        <TextField label="Subject" {...filter.text('subject')} />
        <TextField label="Reference" {...filter.text('reference')} monospace />
      </Filters>
      {value?.isRecorded === false && <Notice tone="warning">AUDIT is off: nothing is recorded.</Notice>}
      <LoadedTable
        query={query}
        caption="Entries of the audit log"
        columns={columns}
        rows={({ entries }) => entries}
        keyOf={({ sequence }) => String(sequence)}
        empty="There is no such entry."
      />
      {value?.hasMore && last !== undefined && (
        <Button onClick={() => filter.set('before', String(last.sequence))}>Older entries</Button>
      )}
    </Section>
  );
}

function Verification() {
  const { value, error } = useRead<typeof verifyAuditLog>('/state/audit/verification');
  if (error !== undefined) return <ErrorBox error={error} />;
  if (value === undefined) return <Loading what="Verifying every entry" />;
  if (value.isWhole) return <Notice tone="good">{value.entries} entries are as they were recorded.</Notice>;
  return (
    <Notice tone="warning">
      <p>The audit log was tampered with.</p>
      <ul>
        {itemsOf(value.faults).map(({ sequence, message }) => (
          <li key={sequence}>
            Entry {sequence}: <Text value={message} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const columns: readonly Column<Entry>[] = [
  { name: 'No.', cell: ({ sequence }) => sequence, align: 'end', narrow: true },
  { name: 'Time', cell: ({ recordedAt }) => <Time value={recordedAt} /> },
  { name: 'Kind', cell: ({ kind }) => <code>{kind}</code> },
  {
    name: 'Actor',
    cell: ({ actorType, actor }) => (
      <>
        {actorType !== 'gateway' && actorType} <Credential id={actor} />
      </>
    ),
  },
  { name: 'Subject', cell: ({ subject }) => <Credential id={subject} /> },
  { name: 'Detail', cell: ({ detail }) => <Text value={detailText(detail)} max={300} /> },
];

/** `rows=3 reason=expired`. */
function detailText(detail: string): string {
  try {
    const members: unknown = JSON.parse(detail);
    return Object.entries(members as object)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(' ');
  } catch {
    return detail;
  }
}
