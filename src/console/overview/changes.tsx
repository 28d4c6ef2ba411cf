/** What changed since yesterday. */
import { type Answer, itemsOf } from '../page/api.ts';
import { type Column, Credential, LoadedTable, Section, Text, Time } from '../page/components/index.ts';
import { Link } from '../page/routing.tsx';
import { useRead } from '../page/use-query.ts';
import type { listChanges } from './contract.ts';

type Change = Answer<typeof listChanges>['changes'][number];

const shownMax = 10;

export function ChangesSection() {
  const query = useRead<typeof listChanges>('/overview/changes', {}, { everyMs: 30_000 });
  return (
    <Section title="Changed since yesterday" actions={<Link to="/state/audit">Audit log</Link>}>
      <LoadedTable
        query={query}
        caption="Changes of the last 24 hours"
        columns={columns}
        rows={({ changes }) => itemsOf(changes).slice(0, shownMax)}
        empty="Nothing was changed, and no call is new."
      />
    </Section>
  );
}

const columns: readonly Column<Change>[] = [
  { name: 'When', cell: ({ at }) => <Time value={at} isRelative />, narrow: true },
  {
    name: 'What',
    cell: ({ text, path }) => (
      <Link to={path}>
        <Text value={text} max={200} />
      </Link>
    ),
  },
  { name: 'By', cell: ({ by }) => (by === undefined ? 'the gateway' : <Credential id={by} />) },
];
