/** Routing: the path names the view and what is open in it, so that every state has an address. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

interface Route {
  /** Empty at `/console`. */
  readonly view: string;
  /** What follows the view in the path. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

const root = '/console';
const changed = 'console:navigated';

/** Returns the route of the address, and renders again when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  // Before the next key: what is typed into a filter is in the address alone.
  useLayoutEffect(() => {
    const update = (): void => setRoute(readRoute());
    addEventListener('popstate', update);
    addEventListener(changed, update);
    return () => {
      removeEventListener('popstate', update);
      removeEventListener(changed, update);
    };
  }, []);
  return route;
}

function readRoute(): Route {
  const [view = '', ...rest] = location.pathname
    .slice(root.length + 1)
    .split('/')
    .filter((each) => each !== '')
    .map(decode);
  return { view, rest, query: new URLSearchParams(location.search) };
}

/** Decodes a part of an address; one that is not encoded stays as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `path`: of the view, such as `/traffic/abc?format=json`. `replace`: leaves no entry in the history, as for filters. */
export function navigate(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', root + path);
  else history.pushState(null, '', root + path);
  dispatchEvent(new Event(changed));
}

interface LinkProps {
  /** An address as `navigate` takes it. */
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

export function Link({ to, class: className, current, children }: LinkProps) {
  const open = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={root + to} class={className} onClick={open} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
}

/** The query of the address as the filter of a list. */
export interface Filter {
  readonly query: URLSearchParams;
  set(name: string, value: string): void;
  /** The properties of a field for a text; an empty one does not filter. */
  text(name: string): { readonly value: string; readonly onInput: (value: string) => void };
  /** The properties of a field for a choice. */
  choice(name: string): { readonly value: string; readonly onChange: (value: string) => void };
}

/** `path`: of the view, as for `navigate`. Another filter begins at the first page again. */
export function useFilter(path: string): Filter {
  const { query } = useRoute();
  const set = (name: string, value: string): void => {
    const next = new URLSearchParams(query);
    next.delete('before');
    if (value === '') next.delete(name);
    else next.set(name, value);
    navigate(next.size === 0 ? path : `${path}?${next}`, { replace: name !== 'before' });
  };
  const textOf = (name: string): string => query.get(name) ?? '';
  return {
    query,
    set,
    text: (name) => ({ value: textOf(name), onInput: (value) => set(name, value) }),
    choice: (name) => ({ value: textOf(name), onChange: (value) => set(name, value) }),
  };
}

/** A parameter of the address that a component remembers its state in; empty where it has none. Setting it leaves no entry in the history. */
export function useParameter(name: string): readonly [value: string, set: (value: string) => void] {
  const { query } = useRoute();
  const set = (value: string): void => {
    const next = new URLSearchParams(location.search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    const path = location.pathname.slice(root.length);
    navigate(next.size === 0 ? path : `${path}?${next}`, { replace: true });
  };
  return [query.get(name) ?? '', set];
}
