/** Every setting with its source. */
import { useState } from 'preact/hooks';
import { type Answer, itemsOf } from '../page/api.ts';
import { CheckField, type Column, Filters, LoadedTable, Section, Text, TextField } from '../page/components/index.ts';
import { useParameter } from '../page/routing.tsx';
import { useRead } from '../page/use-query.ts';
import type { listSettings } from './contract.ts';

type Setting = Answer<typeof listSettings>['settings'][number];

export function SettingsSection() {
  const [search, setSearch] = useParameter('search');
  const [onlySet, setOnlySet] = useState(false);
  const query = useRead<typeof listSettings>('/state/settings');
  const isFound = ({ name, doc, isDefault }: Setting): boolean =>
    !(onlySet && isDefault) && `${name} ${doc}`.toLowerCase().includes(search.toLowerCase());
  return (
    <Section title="Settings">
      <Filters>
        <TextField label="Search" type="search" value={search} onInput={setSearch} />
        <CheckField label="Only those that are set" checked={onlySet} onChange={setOnlySet} />
      </Filters>
      <LoadedTable
        query={query}
        caption="Settings"
        columns={columns}
        rows={({ settings }) => itemsOf(settings).filter(isFound)}
        keyOf={({ name }) => name}
        empty="No setting is found."
      />
    </Section>
  );
}

const columns: readonly Column<Setting>[] = [
  {
    name: 'Setting',
    cell: ({ name, doc }) => (
      <>
        <code>{name}</code>
        <div class="hint">{doc}</div>
      </>
    ),
  },
  {
    name: 'Value',
    cell: ({ value, unit }) => (
      <div class="setting-value">
        <Text value={value} />
        <div class="hint">{unit}</div>
      </div>
    ),
  },
  {
    name: 'Source',
    cell: ({ source, isDefault }) => (isDefault ? 'default' : <Text value={source} />),
  },
];
