/** What still has to change before calls can be switched off, by credential. */
import { useState } from 'preact/hooks';
import type { assessReadiness, listDeprecations } from '../../operators/index.ts';
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
  useCredentialColumn,
  type ViewProps,
} from '../page/components/index.ts';
import { formatOption, formatTitle } from '../page/formats.ts';
import { useRead } from '../page/use-query.ts';
import { callOf } from './call-of.tsx';
import { NotRecorded } from './caller-list.tsx';

type Caller = Answer<typeof assessReadiness>['callers'][number];

const states: Readonly<Record<Caller['state'], readonly [Tone, string]>> = {
  notBegun: ['bad', 'not begun'],
  moving: ['warning', 'moving'],
  exempt: ['info', 'exempt'],
  ready: ['good', 'ready'],
};

/** Those that may end, as the gateway has them: together, and each alone. */
function endingFormats(served: readonly string[]): readonly string[] {
  const old = ['soap11', 'soap12', 'form', 'adapter'].filter((each) => served.includes(each));
  const both = old.filter((each) => each.startsWith('soap'));
  return [...new Set([both.join(','), ...old, old.join(',')])].filter((each) => each !== '');
}

export function ReadinessList({ gateway }: Pick<ViewProps, 'gateway'>) {
  const formats = endingFormats(gateway.formats);
  const [target, setTarget] = useState(`format ${formats[0] ?? 'json'}`);
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
      {!gateway.recordsCallers && <NotRecorded gateway={gateway} />}
      <LoadedTable
        query={query}
        caption="Readiness"
        name="readiness"
        columns={[useCredentialColumn(), ...columns]}
        rows={({ callers }) => callers}
        keyOf={({ tenant = '', credential = '' }) => `${tenant} ${credential}`}
        empty={<Empty title={gateway.recordsCallers ? 'No caller has made such a call' : 'No such call is recorded'} />}
      />
    </>
  );
}

const columns: readonly Column<Caller>[] = [
  {
    name: 'State',
    cell: ({ state }) => <Badge tone={states[state][0]}>{states[state][1]}</Badge>,
    value: ({ state }) => states[state][1],
    narrow: true,
  },
  {
    name: 'Last such call',
    cell: ({ lastUsedAt }) => <Time value={lastUsedAt} isRelative />,
    value: ({ lastUsedAt }) => lastUsedAt,
    narrow: true,
  },
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
