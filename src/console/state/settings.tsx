/** Every setting with its source. */
import { useState } from 'preact/hooks';
import { type Answer, itemsOf } from '../page/api.ts';
import { CheckField, type Column, Filters, LoadedTable, Section, Text } from '../page/components/index.ts';
import { useRead } from '../page/use-query.ts';
import type { listSettings } from './contract.ts';

type Setting = Answer<typeof listSettings>['settings'][number];

export function SettingsSection() {
  const [onlySet, setOnlySet] = useState(false);
  const query = useRead<typeof listSettings>('/state/settings');
  return (
    <Section title="Settings">
      <Filters>
        <CheckField label="Only those that are set" checked={onlySet} onChange={setOnlySet} />
      </Filters>
      <LoadedTable
        query={query}
        caption="Settings"
        name="settings"
        columns={columns}
        rows={({ settings }) => itemsOf(settings).filter(({ isDefault }) => !(onlySet && isDefault))}
        keyOf={({ name }) => name}
        empty="No setting is found."
      />
    </Section>
  );
}

const columns: readonly Column<Setting>[] = [
  {
    name: 'Setting',
    value: ({ name, doc }) => `${name}: ${doc}`,
    cell: ({ name, doc }) => (
      <>
        <code>{name}</code>
        <div class="hint">{doc.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</div>
      </>
    ),
  },
  {
    name: 'Value',
    value: ({ value }) => value,
    cell: ({ value, unit }) => (
      <div class="setting-value">
        <Text value={value} />
        <div class="hint">{unit}</div>
      </div>
    ),
  },
  {
    name: 'Source',
    value: ({ source }) => source,
    cell: ({ source, isDefault }) => (isDefault ? 'default' : <Text value={source} />),
  },
];
