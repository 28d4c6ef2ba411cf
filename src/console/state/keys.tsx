/** The keys in use, without their material. */
import { useState } from 'preact/hooks';
import type { listKeys } from '../../operators/keys/contract.ts';
import { type Answer, itemsOf } from '../page/api.ts';
import { Badge, Button, type Column, Loaded, Section, Table, Text, Time } from '../page/components/index.ts';
import { useRead } from '../page/use-query.ts';

type Key = Answer<typeof listKeys>['keys'][number];

export function KeysSection() {
  const [countRows, setCountRows] = useState(false);
  const query = useRead<typeof listKeys>('/state/keys', { countRows: countRows || undefined });
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
      <Loaded query={query}>
        {({ source, keys }) => (
          <>
            <p>
              From <Text value={source} />
            </p>
            <Table caption="Keys" columns={columns} rows={itemsOf(keys)} keyOf={({ id }) => id} />
          </>
        )}
      </Loaded>
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
