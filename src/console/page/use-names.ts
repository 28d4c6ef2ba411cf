/** Names of credentials: people read these, and the ids on request. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { listCredentials } from '../../operators/index.ts';
import { type Answer, itemsOf, read } from './api.ts';

type Listed = Answer<typeof listCredentials>['credentials'][number];

export interface Names {
  readonly byId: ReadonlyMap<string, string>;
  /** The name for an id. An id that the gateway does not know is its own name. */
  nameOf(id: string): string;
  /** The id for a name. A text that is no name stays as it is. */
  idOf(name: string): string;
}

const kinds = { apiKey: 'API key', certificate: 'Certificate', basic: 'User' } as const satisfies Record<
  Listed['kind'],
  string
>;

/** Between two loads, as for a credential that was added meanwhile. */
const staleMs = 30_000;
let loadedAt = Number.NEGATIVE_INFINITY;
let names: ReadonlyMap<string, string> | undefined;
const listeners = new Set<() => void>();

/** Returns the names, or undefined until they are loaded. All components share one list. */
export function useNames(): Names | undefined {
  const [shown, setShown] = useState(names);
  useEffect(() => {
    const change = (): void => setShown(names);
    listeners.add(change);
    load();
    // They may have been loaded since the component was drawn.
    change();
    return () => void listeners.delete(change);
  }, []);
  return useMemo(() => shown && { byId: shown, nameOf, idOf }, [shown]);
}

function load(): void {
  if (performance.now() - loadedAt < staleMs) return;
  loadedAt = performance.now();
  const show = (found: ReadonlyMap<string, string>): void => {
    names = found;
    for (const changed of listeners) changed();
  };
  read<typeof listCredentials>('/credentials').then(
    ({ credentials }) => show(new Map(itemsOf(credentials).map((each) => [each.id, printName(each)]))),
    // Without a list, ids are their names.
    () => show(names ?? new Map()),
  );
}

/** A tenant may have several keys: the end of the id distinguishes them. */
function printName({ id, username, kind, tenant }: Listed): string {
  return username ?? `${kinds[kind]} of ${tenant} …${id.slice(-4)}`;
}

function nameOf(id: string): string {
  return names?.get(id) ?? id;
}

function idOf(name: string): string {
  return [...(names ?? [])].find(([, each]) => each === name)?.[0] ?? name;
}
