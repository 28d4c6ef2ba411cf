/**
 * A table. On a phone each row becomes a block in which every cell has its heading. One with a name filters, sorts and downloads. A long
 * one scrolls in a box, and the page has its visible rows only.
 */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { itemsOf, saveFile } from '../api.ts';
import { useParameter } from '../routing.tsx';
import type { Query } from '../use-query.ts';
import { Button } from './button.tsx';
import { Loaded } from './feedback.tsx';
import { Text } from './text.tsx';
import { useVisibleRows } from './visible-rows.ts';

interface ColumnFrame {
  readonly name: string;
  /** Numbers stand at the right. */
  readonly align?: 'end';
  /** The column is as narrow as its content. */
  readonly narrow?: boolean;
}

/** `value`: by what a table with a name filters and sorts, and what its file has. Its text is the cell, where the column has no other. */
export type Column<R> = ColumnFrame &
  (
    | {
        readonly cell: (row: R) => ComponentChildren;
        readonly value?: (row: R) => string | number | undefined;
      }
    | {
        readonly cell?: undefined;
        readonly value: (row: R) => string | number | undefined;
      }
  );

interface TableProps<R> {
  /** What the table is, for those who cannot see it. */
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  /** Names the filter, the order and the first visible row of the table in the address, and its file: `pending` has `?pending.sort=Age`. */
  readonly name?: string;
  /** The view has a file of its own, which has more. */
  readonly hasOwnFile?: boolean;
  /** By default, rows have the key of their place. */
  readonly keyOf?: (row: R) => string;
  /** Shown where there are no rows. */
  readonly empty?: ComponentChildren;
  /** Rows can then be opened by a click anywhere; a cell holds a link or a button for the keyboard. */
  readonly onOpen?: (row: R) => void;
}

export function Table<R>(props: TableProps<R>) {
  const { rows, empty, name } = props;
  if (rows.length === 0 && empty !== undefined) return <div class="empty">{empty}</div>;
  return name === undefined ? <Rows {...props} /> : <Sortable {...props} name={name} />;
}

/** Of so few rows, the one that is looked for is seen. */
const filteredMin = 10;

function Sortable<R>(props: TableProps<R> & { readonly name: string }) {
  const { name, columns, rows, caption, hasOwnFile = false } = props;
  const [sort, setSort] = useParameter(`${name}.sort`);
  const [first, setFirst] = useParameter(`${name}.row`);
  const [text, setText] = useParameter(`${name}.filter`);
  const [of, setOf] = useParameter(`${name}.of`);
  const isDescending = sort.startsWith('-');
  const sorted = columns.find((each) => each.name === sort.replace(/^-/, ''));
  const valued = columns.filter(({ value }) => value !== undefined);
  // Not anew for each row that is scrolled to: with 10,000 rows, it takes a while.
  const ordered = useMemo(() => {
    const found = filterRows(rows, of === '' ? valued : valued.filter((each) => each.name === of), text);
    return sorted?.value === undefined ? found : inOrder(found, sorted.value, isDescending);
  }, [rows, columns, text, of, sort]);
  const order = { sorted: sorted?.name, isDescending, onSort: (column: string) => setSort(nextSort(sort, column)) };
  return (
    <>
      <div class="row table-filter">
        {(rows.length > filteredMin || text !== '') && (
          <>
            <input
              type="search"
              aria-label={`Filter ${caption}`}
              placeholder="Filter"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <select
              aria-label={`Column to filter in ${caption}`}
              value={of}
              onChange={(event) => setOf(event.currentTarget.value)}
            >
              <option value="">in any column</option>
              {valued.map((each) => (
                <option key={each.name}>{each.name}</option>
              ))}
            </select>
          </>
        )}
        <span class="hint" role="status">
          {text !== '' && `${ordered.length.toLocaleString('en')} of `}
          {rows.length.toLocaleString('en')} {rows.length === 1 ? 'row' : 'rows'}
        </span>
        {!hasOwnFile && (
          <Button kind="quiet" onClick={() => saveFile(`${name}.csv`, toCsv(columns, ordered))}>
            Download CSV
          </Button>
        )}
      </div>
      <Rows
        {...props}
        rows={ordered}
        order={order}
        orderKey={`${sort} ${of} ${text}`}
        first={Math.max(0, (Number.parseInt(first, 10) || 1) - 1)}
        onFirst={(row) => setFirst(row === 0 ? '' : String(row + 1))}
      />
    </>
  );
}

/** A row has each word in the value of some of the columns. */
function filterRows<R>(rows: readonly R[], columns: readonly Column<R>[], text: string): readonly R[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((each) => each !== '');
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const values = columns.map(({ value }) => String(value?.(row) ?? '').toLowerCase());
    return words.every((word) => values.some((each) => each.includes(word)));
  });
}

/** Upwards, then downwards, then as it came. */
function nextSort(sort: string, column: string): string {
  if (sort === column) return `-${column}`;
  return sort === `-${column}` ? '' : column;
}

/** Rows without a value come last, in either direction. */
function inOrder<R>(rows: readonly R[], value: NonNullable<Column<R>['value']>, isDescending: boolean): readonly R[] {
  const compare = (a: R, b: R): number => {
    const [x, y] = [value(a), value(b)];
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
    const difference = typeof x === 'number' && typeof y === 'number' ? x - y : collator.compare(String(x), String(y));
    return isDescending ? -difference : difference;
  };
  return rows.toSorted(compare);
}

const collator = new Intl.Collator('en', { numeric: true });

function toCsv<R>(columns: readonly Column<R>[], rows: readonly R[]): string {
  const printed = columns.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]));
  const lines = [printed.map(({ name }) => name), ...rows.map((row) => printed.map(({ value }) => value(row) ?? ''))];
  return lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('');
}

/** As `formatCsv` of the gateway: a text that a spreadsheet would run as a formula gets an apostrophe, also behind a semicolon. */
function toCell(value: string | number): string {
  const text = typeof value === 'string' ? value.replace(/(^|[;\t])(?=[\t\r\n ]*[=+\-@|%])/g, "$1'") : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface Order {
  readonly sorted: string | undefined;
  readonly isDescending: boolean;
  readonly onSort: (column: string) => void;
}

interface RowsProps<R> extends TableProps<R> {
  readonly order?: Order;
  /** Another one shows the first rows again. */
  readonly orderKey?: string;
  /** The row that is at the top at first, from 0. */
  readonly first?: number;
  readonly onFirst?: (row: number) => void;
}

function Rows<R>(props: RowsProps<R>) {
  const { caption, columns, rows, keyOf, onOpen, order, orderKey = '', first = 0, onFirst = () => {} } = props;
  const box = useRef<HTMLElement>(null);
  const keys = useMemo(() => rows.map((row, at) => keyOf?.(row) ?? at), [rows]);
  const range = useVisibleRows(box, { keys, order: orderKey, first, onFirst });
  const { start, end, before, after } = range ?? { start: 0, end: rows.length, before: 0, after: 0 };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has only a keyboard scrolls it.
    <section ref={box} class={range === undefined ? 'table' : 'table long'} tabIndex={0} aria-label={caption}>
      <div style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
        <table aria-rowcount={range && rows.length + 1}>
          <caption class="offscreen">{caption}</caption>
          <thead>
            <tr aria-rowindex={range && 1}>
              {columns.map(({ name, align, narrow, value }) => (
                <th key={name} scope="col" class={cellClass(align, narrow)} aria-sort={sortOf(name, order)}>
                  {order === undefined || value === undefined ? (
                    name
                  ) : (
                    <button type="button" class="sort" onClick={() => order.onSort(name)}>
                      {name}
                    </button>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {range !== undefined && <Widths columns={columns} rows={rows} />}
            {rows.slice(start, end).map((row, at) => (
              <Row key={keys[start + at]} row={row} place={range && start + at + 2} columns={columns} onOpen={onOpen} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** A row that takes no room: the longest text of each column, so that columns stay as wide as they are while rows come and go. */
function Widths<R>({ columns, rows }: Pick<TableProps<R>, 'columns' | 'rows'>) {
  return useMemo(
    () => (
      <tr class="sizes">
        {columns.map((column) => (
          <td key={column.name} class={cellClass(column.align, column.narrow)}>
            {column.value !== undefined && contentOf(column, longestOf(column.value, rows))}
          </td>
        ))}
      </tr>
    ),
    [columns, rows],
  );
}

function longestOf<R>(value: NonNullable<Column<R>['value']>, rows: readonly R[]): R {
  const lengthOf = (row: R): number => String(value(row) ?? '').length;
  let [longest] = rows as readonly [R];
  let length = lengthOf(longest);
  for (const row of rows) {
    const each = lengthOf(row);
    if (each > length) [longest, length] = [row, each];
  }
  return longest;
}

interface RowProps<R> extends Pick<TableProps<R>, 'columns'> {
  readonly row: R;
  /** Among all rows, with that of the headings. Absent where the page has them all. */
  readonly place: number | undefined;
  readonly onOpen: TableProps<R>['onOpen'] | undefined;
}

/** A row that has not changed is not drawn again: of a live list, most have not. */
function Row<R>({ row, place, columns, onOpen }: RowProps<R>) {
  return useMemo(
    () => (
      <tr
        class={onOpen && 'opens'}
        aria-rowindex={place}
        onClick={onOpen && ((event: MouseEvent) => openRow(event, () => onOpen(row)))}
      >
        {columns.map((column) => (
          <td key={column.name} data-name={column.name} class={cellClass(column.align, column.narrow)}>
            {contentOf(column, row)}
          </td>
        ))}
      </tr>
    ),
    [row, place, columns, onOpen],
  );
}

function contentOf<R>({ cell, value }: Column<R>, row: R): ComponentChildren {
  return cell === undefined ? <Text value={String(value(row) ?? '')} /> : cell(row);
}

function sortOf(name: string, order: Order | undefined): 'ascending' | 'descending' | undefined {
  if (order?.sorted !== name) return undefined;
  return order.isDescending ? 'descending' : 'ascending';
}

interface LoadedTableProps<T, R> extends Omit<TableProps<R>, 'rows'> {
  readonly query: Query<T>;
  readonly rows: (value: T) => readonly R[] | undefined;
}

/** A table of what a query has loaded. */
export function LoadedTable<T, R>({ query, rows, ...table }: LoadedTableProps<T, R>) {
  return <Loaded query={query}>{(value) => <Table {...table} rows={itemsOf(rows(value))} />}</Loaded>;
}

function cellClass(align?: 'end', narrow?: boolean): string | undefined {
  const classes = [align === 'end' && 'end', narrow && 'narrow'].filter(Boolean).join(' ');
  return classes === '' ? undefined : classes;
}

/** Links and buttons in a row do what they say. Text can be selected. */
function openRow(event: MouseEvent, open: () => void): void {
  const { target } = event;
  if (target instanceof Element && target.closest('a, button, input, select, label, summary') !== null) return;
  if (getSelection()?.toString() === '') open();
}
