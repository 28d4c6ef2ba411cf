/** A table. On a phone each row becomes a block in which every cell has its heading. */
import type { ComponentChildren } from 'preact';
import { itemsOf } from '../api.ts';
import type { Query } from '../use-query.ts';
import { Loaded } from './feedback.tsx';

export interface Column<R> {
  readonly name: string;
  readonly cell: (row: R) => ComponentChildren;
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
  /** By default, rows have the key of their place. */
  readonly keyOf?: (row: R) => string;
  /** Shown where there are no rows. */
  readonly empty?: ComponentChildren;
  /** Rows can then be opened by a click anywhere; a cell holds a link or a button for the keyboard. */
  readonly onOpen?: (row: R) => void;
}

export function Table<R>({ caption, columns, rows, keyOf, empty, onOpen }: TableProps<R>) {
  if (rows.length === 0 && empty !== undefined) return <div class="empty">{empty}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has only a keyboard scrolls it.
    <section class="table" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="offscreen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, align, narrow }) => (
              <th key={name} scope="col" class={cellClass(align, narrow)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr
              key={keyOf?.(row) ?? at}
              class={onOpen && 'opens'}
              onClick={onOpen && ((event: MouseEvent) => openRow(event, () => onOpen(row)))}
            >
              {columns.map(({ name, cell, align, narrow }) => (
                <td key={name} data-name={name} class={cellClass(align, narrow)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
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
  if (target instanceof Element && target.closest('a, button, input, select, label') !== null) return;
  if (getSelection()?.toString() === '') open();
}
