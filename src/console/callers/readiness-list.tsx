/** What still has to change before calls can be switched off, by credential. */
import { useState } from 'preact/hooks';
import type { assessReadiness } from '../../operators/callers/contract.ts';
import type { listDeprecations } from '../../operators/deprecations/contract.ts';
import type { Answer } from '../page/api.ts';
import {
  Badge,
  type Column,
  Empty,
  Filters,
  LoadedTable,
  SelectField,
  Text,
  Time,
  type Tone,
} from '../page/components/index.ts';
import { formatOption, formatTitle } from '../page/formats.ts';
import { useRead } from '../page/use-query.ts';
import { Credential, callOf } from './use.tsx';

type Caller = Answer<typeof assessReadiness>['callers'][number];

const states: Readonly<Record<Caller['state'], readonly [Tone, string]>> = {
  notBegun: ['bad', 'not begun'],
  moving: ['warning', 'moving'],
  exempt: ['info', 'exempt'],
  ready: ['good', 'ready'],
};

const formats = ['soap11,soap12', 'soap11', 'soap12', 'form', 'adapter', 'soap11,soap12,form,adapter'];

export function ReadinessList() {
  const [target, setTarget] = useState('format soap11,soap12');
  const [days, setDays] = useState('30');
  const rules = useRead<typeof listDeprecations>('/callers/deprecations');
  const [kind, text] = target.split(' ') as [string, string];
  const query = useRead<typeof assessReadiness>('/callers/readiness', { [kind]: text, days });
  return (
    <>
      <Filters>
        <SelectField
          label="Before the end of"
          value={target}
          onChange={setTarget}
          options={[
            ...formats.map((each) => ({ value: `format ${each}`, text: formatOption(each).text })),
            ...(rules.value?.deprecations ?? []).map(({ id, calls }) => ({
              value: `deprecation ${id}`,
              text: `Deprecation: ${calls}`,
            })),
          ]}
        />
        <SelectField label="Days without a call" value={days} onChange={setDays} options={['7', '30', '90']} />
      </Filters>
      <LoadedTable
        query={query}
        caption="Readiness"
        columns={columns}
        rows={({ callers }) => callers}
        keyOf={({ tenant = '', credential = '' }) => `${tenant} ${credential}`}
        empty={<Empty title="No caller has made such a call" />}
      />
    </>
  );
}

const columns: readonly Column<Caller>[] = [
  { name: 'Credential', cell: (each) => <Credential {...each} /> },
  { name: 'State', cell: ({ state }) => <Badge tone={states[state][0]}>{states[state][1]}</Badge>, narrow: true },
  { name: 'Last such call', cell: ({ lastUsedAt }) => <Time value={lastUsedAt} isRelative />, narrow: true },
  {
    name: 'What remains to be changed',
    cell: ({ remaining = [] }) =>
      remaining.length === 0 ? (
        <span class="hint">nothing</span>
      ) : (
        <ul>
          {remaining.map((each) => (
            <li key={each.id}>
              <Text value={callOf(each)} /> in {formatTitle(each.format)} (
              {each.requests === 1 ? '1 request' : `${each.requests} requests`}, <Text value={each.client} max={40} />
              ):{' '}
              {each.replacedBy === undefined ? (
                <strong>no other call yet</strong>
              ) : (
                <>also in {formatTitle(each.replacedBy.format)}</>
              )}
            </li>
          ))}
        </ul>
      ),
  },
];
