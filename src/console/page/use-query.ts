/** Loads what a view shows, and again while it is open. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Operation } from '../../core/contract/index.ts';
import { type Answer, type ApiError, addressOf, type QueryValues, read, toApiError } from './api.ts';

export interface Query<T> {
  /** What the last load that succeeded has returned. */
  readonly value: T | undefined;
  readonly error: ApiError | undefined;
  reload(): void;
}

interface QueryOptions {
  /** Loads again after so many milliseconds, while the page is visible. */
  readonly everyMs?: number;
  /** Shows the value of the key before until that of the new key is there. */
  readonly keepsValue?: boolean;
}

/** Calls an operation that reads. `path` and `query`: as for `read`; others load anew. */
export function useRead<O extends Operation>(
  path: string,
  query: QueryValues = {},
  options: QueryOptions = {},
): Query<Answer<O>> {
  return useQuery(addressOf(path, query), (signal) => read<O>(path, query, signal), options);
}

/** `key`: what the load depends on; another key loads anew. */
export function useQuery<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  options: QueryOptions = {},
): Query<T> {
  const [state, setState] = useState<Omit<Query<T>, 'reload'>>({ value: undefined, error: undefined });
  const latest = useRef(load);
  latest.current = load;
  const [times, setTimes] = useState(0);
  const reload = useCallback(() => setTimes((before) => before + 1), []);
  const loadedKey = useRef(key);
  const { everyMs, keepsValue = false } = options;
  useEffect(() => {
    const left = new AbortController();
    const isOther = loadedKey.current !== key;
    loadedKey.current = key;
    if (isOther && !keepsValue) setState((before) => ({ ...before, value: undefined }));
    latest.current(left.signal).then(
      (value) => {
        if (!left.signal.aborted) setState({ value, error: undefined });
      },
      (thrown: unknown) => {
        if (left.signal.aborted) return;
        const error = toApiError(thrown);
        setState((before) => ({ value: isOther ? undefined : before.value, error }));
      },
    );
    return () => left.abort();
  }, [key, times, keepsValue]);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);
  return { ...state, reload };
}
