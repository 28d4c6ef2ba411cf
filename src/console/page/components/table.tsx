/** A table. On a phone each row becomes a block in which every cell has its heading. One with a name filters, sorts, has pages and downloads. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { itemsOf, saveFile } from '../api.ts';
import { useParameter } from '../routing.tsx';
import type { Query } from '../use-query.ts';
import { Button } from './button.tsx';
import { Loaded } from './feedback.tsx';

export interface Column<R> {
  readonly name: string;
  readonly cell: (row: R) => ComponentChildren;
  /** By what a table with a name filters and sorts, and what its file has. Without one, the column does none of it. */
  readonly value?: (row: R) => string | number | undefined;
  /** Numbers stand at the right. */
  readonly align?: 'end';
  /** The column is as narrow as its content. */
  readonly narrow?: boolean;
}

interface TableProps<R> {
  /** What the table is, for those who cannot see it. */
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  /** Names the filter, the order and the page of the table in the address, and its file: `pending` has `?pending.sort=Age`. */
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
  return name === undefined ? <Plain {...props} /> : <Sortable {...props} name={name} />;
}

/** The rows of one page. More are on other pages, so that a browser is quick with 10,000. */
const rowsOfPage = 100;
/** Of so few rows, the one that is looked for is seen. */
const filteredMin = 10;

function Sortable<R>(props: TableProps<R> & { readonly name: string }) {
  const { name, columns, rows, caption, hasOwnFile = false } = props;
  const [sort, setSort] = useParameter(`${name}.sort`);
  const [pageText, setPage] = useParameter(`${name}.page`);
  const [text, setText] = useParameter(`${name}.filter`);
  const [of, setOf] = useParameter(`${name}.of`);
  const isDescending = sort.startsWith('-');
  const sorted = columns.find((each) => each.name === sort.replace(/^-/, ''));
  const valued = columns.filter(({ value }) => value !== undefined);
  const found = filterRows(rows, of === '' ? valued : valued.filter((each) => each.name === of), text);
  const ordered = sorted?.value === undefined ? found : inOrder(found, sorted.value, isDescending);
  const pages = Math.max(1, Math.ceil(ordered.length / rowsOfPage));
  const page = Math.min(pages, Math.max(1, Number.parseInt(pageText, 10) || 1));
  const order = { sorted: sorted?.name, isDescending, onSort: (column: string) => setSort(nextSort(sort, column)) };
  return (
    <>
      {(rows.length > filteredMin || text !== '') && (
        <div class="row table-filter">
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
          {text !== '' && (
            <span class="hint" role="status">
              {found.length.toLocaleString('en')} of {rows.length.toLocaleString('en')} rows
            </span>
          )}
        </div>
      )}
      <Plain {...props} rows={ordered.slice((page - 1) * rowsOfPage, page * rowsOfPage)} order={order} />
      <div class="row">
        {pages > 1 && (
          <>
            <Button kind="quiet" disabled={page === 1} onClick={() => setPage(String(page - 1))}>
              Page before
            </Button>
            <span role="status">
              Page {page} of {pages}, {found.length.toLocaleString('en')} rows
            </span>
            <Button kind="quiet" disabled={page === pages} onClick={() => setPage(String(page + 1))}>
              Next page
            </Button>
          </>
        )}
        {!hasOwnFile && (
          <Button kind="quiet" onClick={() => saveFile(`${name}.csv`, toCsv(columns, ordered))}>
            Download CSV
          </Button>
        )}
      </div>
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

function Plain<R>({ caption, columns, rows, keyOf, onOpen, order }: TableProps<R> & { readonly order?: Order }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has only a keyboard scrolls it.
    <section class="table" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="offscreen">{caption}</caption>
        <thead>
          <tr>
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
          {rows.map((row, at) => (
            <Row key={keyOf?.(row) ?? at} row={row} columns={columns} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps<R> extends Pick<TableProps<R>, 'columns'> {
  readonly row: R;
  readonly onOpen: TableProps<R>['onOpen'] | undefined;
}

/** A row that has not changed is not drawn again: of a live list, most have not. */
function Row<R>({ row, columns, onOpen }: RowProps<R>) {
  return useMemo(
    () => (
      <tr class={onOpen && 'opens'} onClick={onOpen && ((event: MouseEvent) => openRow(event, () => onOpen(row)))}>
        {columns.map(({ name, cell, align, narrow }) => (
          <td key={name} data-name={name} class={cellClass(align, narrow)}>
            {cell(row)}
          </td>
        ))}
      </tr>
    ),
    [row, columns, onOpen],
  );
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
