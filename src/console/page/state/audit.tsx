/** The audit log: entries by page and filter, and whether the chain is whole. */
import { useState } from 'preact/hooks';
import type { listAuditEntries, verifyAuditLog } from '../../state/rules.ts';
import { type Answer, itemsOf, read } from '../api.ts';
import {
  Button,
  type Column,
  ErrorBox,
  Filters,
  Loading,
  Notice,
  Section,
  SelectField,
  Table,
  Text,
  TextField,
  Time,
} from '../components/index.ts';
import { navigate, useRoute } from '../routing.tsx';
import { useQuery } from '../use-query.ts';

type Entry = Answer<typeof listAuditEntries>['entries'][number];

export function AuditSection() {
  const { query } = useRoute();
  const filter = (name: string): string => query.get(name) ?? '';
  const [isVerifying, setVerifying] = useState(false);
  const choose = (name: string, value: string): void => {
    const next = new URLSearchParams(query);
    next.delete('before');
    if (value === '') next.delete(name);
    else next.set(name, value);
    navigate(`/state/audit?${next}`, { replace: name !== 'before' });
  };
  const key = query.toString();
  const { value, error, reload } = useQuery(
    key,
    (signal) => read<typeof listAuditEntries>('/state/audit', Object.fromEntries(query), signal),
    { keepsValue: true },
  );
  const kinds = itemsOf(value?.kinds);
  const last = itemsOf(value?.entries).at(-1);
  return (
    <Section
      title="Audit log"
      actions={
        <Button onClick={() => setVerifying(true)} disabled={isVerifying}>
          Verify the chain
        </Button>
      }
    >
      {isVerifying && <Verification />}
      <Filters>
        <SelectField
          label="Kind"
          value={filter('kind')}
          onChange={(kind) => choose('kind', kind)}
          options={[{ value: '', text: 'all' }, ...kinds.map((each) => ({ value: each, text: each }))]}
        />
        <TextField label="Actor" value={filter('actor')} onInput={(actor) => choose('actor', actor)} />
        <TextField label="Subject" value={filter('subject')} onInput={(subject) => choose('subject', subject)} />
      </Filters>
      <ErrorBox error={error} onRetry={reload} />
      {value?.isRecorded === false && <Notice tone="warning">AUDIT is off: nothing is recorded.</Notice>}
      {value === undefined ? (
        error === undefined && <Loading />
      ) : (
        <Table
          caption="Entries of the audit log"
          columns={columns}
          rows={itemsOf(value.entries)}
          keyOf={({ sequence }) => String(sequence)}
          empty="There is no such entry."
        />
      )}
      {value?.hasMore && last !== undefined && (
        <Button onClick={() => choose('before', String(last.sequence))}>Older entries</Button>
      )}
    </Section>
  );
}

function Verification() {
  const { value, error } = useQuery('verification', (signal) =>
    read<typeof verifyAuditLog>('/state/audit/verification', {}, signal),
  );
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
    cell: ({ actorType, actor }) => <Text value={actorType === 'gateway' ? actor : `${actorType} ${actor}`} />,
  },
  { name: 'Subject', cell: ({ subject }) => <Text value={subject} max={200} /> },
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
