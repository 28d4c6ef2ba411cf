/** Chooses the rows of a long table that are in the page: those in sight, and some above and below them. Heights are measured. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

type RowKey = string | number;

/** Rows from `start` to the one before `end`, with the height in pixels of those that are left out. */
interface RowRange {
  readonly start: number;
  readonly end: number;
  readonly before: number;
  readonly after: number;
}

interface VisibleRowsOptions {
  readonly keys: readonly RowKey[];
  /** Another value shows the first rows again: the order of the rows, and their filter. */
  readonly order: string;
  /** The row that is at the top at first. */
  readonly first: number;
  /** Called a moment after a reader has scrolled. */
  readonly onFirst: (row: number) => void;
}

/** Shorter tables are whole, and have no box that scrolls. */
const wholeMax = 100;
/** Rows above and below those in sight, when the rows are chosen anew. */
const spareMax = 8;
/** Fewer of them are too few: the keyboard goes from row to row. */
const spareMin = 3;
const quietMs = 300;

/** Returns undefined for a short table and while the page is printed: all rows are shown. `box`: the element that scrolls. */
export function useVisibleRows(box: RefObject<HTMLElement | null>, options: VisibleRowsOptions): RowRange | undefined {
  const { keys, order, first, onFirst } = options;
  const isPrinted = useIsPrinted();
  const isLong = keys.length > wholeMax && !isPrinted;
  const [heights] = useState(() => new RowHeights());
  heights.setKeys(keys);
  /** What stays in sight while rows come, go and turn out higher. */
  const anchor = useRef<Anchor>(first > 0 ? { key: heights.keyOf(first), below: 0 } : 'start');
  const seen = useRef({ order, onFirst });
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  if (seen.current.order !== order) anchor.current = 'start';
  seen.current = { order, onFirst };
  const range = useRef({ start: first, end: first });
  const high = box.current?.clientHeight ?? 0;
  range.current = rangeAround(heights, topOf(heights, anchor.current, high), high, range.current);
  const { start, end } = range.current;
  const hadFocus = box.current?.querySelector('tbody')?.contains(document.activeElement) === true;

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || !isLong) return;
    const isFirst = heights.measure(start, [...element.querySelectorAll('tbody > tr:not(.sizes)')]);
    const { clientHeight, scrollHeight } = element;
    // The headings are above the rows.
    const top = anchor.current === 'end' ? scrollHeight - clientHeight : topOf(heights, anchor.current, clientHeight);
    // Setting a position ends a movement, such as that of the keyboard.
    if (Math.abs(element.scrollTop - top) > 1) element.scrollTop = top;
    // The last rows cannot be at the top.
    if (top - element.scrollTop > 1) anchor.current = 'end';
    if (isFirst || !isCovered(heights, element.scrollTop, clientHeight, range.current, 0)) redraw(0);
    // The row with the focus is gone: the keyboard goes on in the table.
    if (hadFocus && document.activeElement === document.body) element.focus({ preventScroll: true });
  });
  useEffect(() => {
    const element = box.current;
    if (element === null || !isLong) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const scroll = (): void => {
      const { scrollTop, clientHeight, scrollHeight } = element;
      // A position has no fractions of pixels, and rows do.
      const row = heights.rowAt(scrollTop + 1);
      if (scrollTop <= 0) anchor.current = 'start';
      else if (scrollTop + clientHeight >= scrollHeight - 1) anchor.current = 'end';
      else anchor.current = { key: heights.keyOf(row), below: scrollTop - heights.topOf(row) };
      if (!isCovered(heights, scrollTop, clientHeight, range.current, spareMin)) redraw(0);
      clearTimeout(timer);
      timer = setTimeout(() => seen.current.onFirst(scrollTop <= 0 ? 0 : row), quietMs);
    };
    // The browser would scroll to where the end was before the last rows were measured.
    const press = (event: KeyboardEvent): void => {
      if (event.target !== element || (event.key !== 'End' && event.key !== 'Home')) return;
      event.preventDefault();
      anchor.current = event.key === 'End' ? 'end' : 'start';
      redraw(0);
    };
    let { clientWidth } = element;
    const resized = new ResizeObserver(() => {
      if (element.clientWidth !== clientWidth) heights.forget();
      ({ clientWidth } = element);
      redraw(0);
    });
    resized.observe(element);
    element.addEventListener('scroll', scroll, { passive: true });
    element.addEventListener('keydown', press);
    return () => {
      clearTimeout(timer);
      resized.disconnect();
      element.removeEventListener('scroll', scroll);
      element.removeEventListener('keydown', press);
    };
  }, [isLong]);
  if (!isLong) return undefined;
  return { start, end, before: heights.topOf(start), after: heights.topOf(keys.length) - heights.topOf(end) };
}

/** The row at the top of what is in sight, and how many pixels of it are above; or an end of the table. */
type Anchor = 'start' | 'end' | { readonly key: RowKey; readonly below: number };

function topOf(heights: RowHeights, anchor: Anchor, high: number): number {
  if (anchor === 'start') return 0;
  if (anchor === 'end') return heights.topOf(heights.count) - high;
  const row = heights.indexOf(anchor.key);
  return row === -1 ? 0 : heights.topOf(row) + anchor.below;
}

type Span = Pick<RowRange, 'start' | 'end'>;

/** Whether these rows are in the page: those in sight, and `spare` above and below. */
function isCovered(heights: RowHeights, top: number, high: number, { start, end }: Span, spare: number): boolean {
  const wanted = spanOf(heights, top, high, spare);
  return start <= wanted.start && wanted.end <= end;
}

/** Keeps the rows as they are where they are enough, and not far too many. */
function rangeAround(heights: RowHeights, top: number, high: number, before: Span): Span {
  const most = spanOf(heights, top, high, 3 * spareMax);
  const isFitting = most.start <= before.start && before.end <= most.end;
  const isEnough = isFitting && isCovered(heights, top, high, before, spareMin);
  return isEnough ? before : spanOf(heights, top, high, spareMax);
}

function spanOf(heights: RowHeights, top: number, high: number, spare: number): Span {
  const [first, last] = [heights.rowAt(top), heights.rowAt(top + high)];
  return { start: Math.max(0, first - spare), end: Math.min(heights.count, last + spare + 1) };
}

/** The heights of rows by their keys. A row that was not in the page yet is as high as the first ones on average. */
class RowHeights {
  #byKey = new Map<RowKey, number>();
  #keys: readonly RowKey[] = [];
  #heights = new Float64Array(0);
  #usual = 40;

  get count(): number {
    return this.#keys.length;
  }

  setKeys(keys: readonly RowKey[]): void {
    if (keys === this.#keys) return;
    this.#keys = keys;
    // Of a live list, most rows that were seen are gone.
    this.#byKey = new Map(keys.flatMap((key) => (this.#byKey.has(key) ? [[key, this.#byKey.get(key)!]] : [])));
    this.#fill();
  }

  /** The key of a row, or of the last one. */
  keyOf(row: number): RowKey {
    return this.#keys[Math.min(row, this.count - 1)] ?? 0;
  }

  indexOf(key: RowKey): number {
    return this.#keys.indexOf(key);
  }

  /** The height of all rows above. */
  topOf(row: number): number {
    let top = 0;
    for (let at = 0; at < row; at += 1) top += this.#heights[at]!;
    return top;
  }

  /** The row at a height, or the first or last one. */
  rowAt(top: number): number {
    let row = 0;
    for (let rest = top; row < this.count - 1; row += 1) {
      rest -= this.#heights[row]!;
      if (rest < 0) break;
    }
    return row;
  }

  /** Returns whether these are the first rows. `start`: the index of the first element. */
  measure(start: number, elements: readonly Element[]): boolean {
    const isFirst = this.#byKey.size === 0;
    for (const [at, element] of elements.entries()) {
      const { height } = element.getBoundingClientRect();
      // It is in a part of the page that is closed.
      if (height === 0) return false;
      this.#byKey.set(this.keyOf(start + at), height);
      this.#heights[start + at] = height;
    }
    if (!isFirst || elements.length === 0) return false;
    this.#usual = (this.topOf(start + elements.length) - this.topOf(start)) / elements.length;
    this.#fill();
    return true;
  }

  forget(): void {
    this.#byKey.clear();
  }

  #fill(): void {
    this.#heights = Float64Array.from(this.#keys, (key) => this.#byKey.get(key) ?? this.#usual);
  }
}

function useIsPrinted(): boolean {
  const [isPrinted, setPrinted] = useState(false);
  useEffect(() => {
    const begin = (): void => setPrinted(true);
    const end = (): void => setPrinted(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinted;
}
