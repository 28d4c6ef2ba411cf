/** Every setting with its source. */
import { useState } from 'preact/hooks';
import type { listSettings } from '../../state/rules.ts';
import { type Answer, itemsOf, read } from '../api.ts';
import {
  CheckField,
  type Column,
  ErrorBox,
  Filters,
  Loading,
  Section,
  Table,
  Text,
  TextField,
} from '../components/index.ts';
import { useQuery } from '../use-query.ts';

type Setting = Answer<typeof listSettings>['settings'][number];

export function SettingsSection() {
  const [search, setSearch] = useState('');
  const [onlySet, setOnlySet] = useState(false);
  const { value, error, reload } = useQuery('settings', (signal) =>
    read<typeof listSettings>('/state/settings', {}, signal),
  );
  const isFound = ({ name, doc, isDefault }: Setting): boolean =>
    !(onlySet && isDefault) && `${name} ${doc}`.toLowerCase().includes(search.toLowerCase());
  return (
    <Section title="Settings">
      <Filters>
        <TextField label="Search" type="search" value={search} onInput={setSearch} />
        <CheckField label="Only those that are set" checked={onlySet} onChange={setOnlySet} />
      </Filters>
      <ErrorBox error={error} onRetry={reload} />
      {value === undefined ? (
        error === undefined && <Loading />
      ) : (
        <Table
          caption="Settings"
          columns={columns}
          rows={itemsOf(value.settings).filter(isFound)}
          keyOf={({ name }) => name}
          empty="No setting is found."
        />
      )}
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
