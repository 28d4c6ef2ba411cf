/** The keys in use, without their material. */
import { useState } from 'preact/hooks';
import type { listKeys } from '../../state/rules.ts';
import { type Answer, itemsOf, read } from '../api.ts';
import { Badge, Button, type Column, ErrorBox, Loading, Section, Table, Text, Time } from '../components/index.ts';
import { useQuery } from '../use-query.ts';

type Key = Answer<typeof listKeys>['keys'][number];

export function KeysSection() {
  const [countRows, setCountRows] = useState(false);
  const { value, error, reload } = useQuery(`keys ${countRows}`, (signal) =>
    read<typeof listKeys>('/state/keys', { ...(countRows && { countRows }) }, signal),
  );
  return (
    <Section
      title="Keys"
      actions={
        <Button onClick={() => setCountRows(true)} disabled={countRows}>
          Count rows
        </Button>
      }
    >
      <p class="hint">The keys themselves never leave the process. Counting rows reads the whole store.</p>
      <ErrorBox error={error} onRetry={reload} />
      {value === undefined ? (
        error === undefined && <Loading />
      ) : (
        <>
          <p>
            From <Text value={value.source} />
          </p>
          <Table caption="Keys" columns={columns} rows={itemsOf(value.keys)} keyOf={({ id }) => id} />
        </>
      )}
    </Section>
  );
}

const tones = { current: 'good', old: 'warning', next: 'info', missing: 'bad' } as const;

const columns: readonly Column<Key>[] = [
  { name: 'Id', cell: ({ id }) => <code>{id}</code> },
  { name: 'For', cell: ({ kind }) => kind },
  { name: 'State', cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
  {
    name: 'Used since',
    cell: ({ usedSince }) => (usedSince === undefined ? 'not recorded' : <Time value={usedSince} />),
  },
  { name: 'Rows', cell: ({ rows }) => rows?.toLocaleString('en') ?? '', align: 'end' },
];
