/** The data of the demo: tables of its services, from a row down to those below it. */
import { useState } from 'preact/hooks';
import { type Answer, itemsOf, pathOf } from '../page/api.ts';
import { Button, type Column, ErrorBox, Loaded, Section, SelectField, Table, Text } from '../page/components/index.ts';
import { useRead } from '../page/use-query.ts';
import type { listTestRows, listTestTables } from './contract.ts';

type TestTable = Answer<typeof listTestTables>['tables'][number];
type TestRow = Answer<typeof listTestRows>['rows'][number];

/** What is open: a table, or the rows of one below a row of another. */
interface Place {
  readonly table: string;
  readonly parent?: string;
  readonly after?: string;
  readonly title: string;
}

export function DataBrowser() {
  const { value, error, reload } = useRead<typeof listTestTables>('/testing/tables');
  const [path, setPath] = useState<readonly Place[]>([]);
  const tables = itemsOf(value?.tables);
  const starts = tables.filter(({ needsParent }) => !needsParent);
  const [first] = starts;
  if (value === undefined || first === undefined) return <ErrorBox error={error} onRetry={reload} />;
  const opened = path.length === 0 ? [{ table: first.name, title: first.title }] : path;
  const place = opened.at(-1)!;
  const table = tables.find(({ name }) => name === place.table);
  return (
    <Section title="Data">
      <SelectField
        label="Data"
        value={opened[0]!.table}
        onChange={(name) => setPath([{ table: name, title: starts.find((each) => each.name === name)?.title ?? name }])}
        options={starts.map(({ name, title }) => ({ value: name, text: title }))}
      />
      {opened.length > 1 && (
        <div class="row">
          {opened.slice(0, -1).map(({ table: name, parent = '', title }, at) => (
            <Button key={`${name} ${parent}`} kind="quiet" onClick={() => setPath(opened.slice(0, at + 1))}>
              {`‹ ${title}`}
            </Button>
          ))}
          <strong>
            <Text value={place.title} />
          </strong>
        </div>
      )}
      {table !== undefined && <Rows table={table} place={place} open={(next) => setPath([...opened, next])} />}
    </Section>
  );
}

interface RowsProps {
  readonly table: TestTable;
  readonly place: Place;
  readonly open: (place: Place) => void;
}

function Rows({ table, place, open }: RowsProps) {
  const { parent, after } = place;
  const query = useRead<typeof listTestRows>(pathOf`/testing/tables/${place.table}`, { parent, after });
  return (
    <Loaded query={query}>
      {({ rows, next }) => (
        <>
          <p class="hint">{table.doc}</p>
          <Table
            caption={place.title}
            columns={columnsOf(table, open)}
            rows={itemsOf(rows)}
            keyOf={({ id }) => id}
            empty="There is nothing here."
          />
          {next !== undefined && <Button onClick={() => open({ ...place, after: next })}>Next page</Button>}
        </>
      )}
    </Loaded>
  );
}

function columnsOf(table: TestTable, open: (place: Place) => void): readonly Column<TestRow>[] {
  return [
    ...itemsOf(table.columns).map(
      (name, at): Column<TestRow> => ({
        name,
        cell: ({ cells }) => <Text value={itemsOf(cells)[at] ?? ''} max={200} />,
      }),
    ),
    {
      name: 'Below',
      narrow: true,
      cell: ({ below }) =>
        itemsOf(below).map((each) => (
          <Button key={each.table} kind="quiet" onClick={() => open(each)}>
            Open<span class="offscreen"> {each.title}</span> ›
          </Button>
        )),
    },
  ];
}
