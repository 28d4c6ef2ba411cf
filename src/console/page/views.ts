/** The views of the console. Each has a line here, and a folder in `src/console/`. */
import type { ComponentType } from 'preact';
import type { ViewProps } from './components/index.ts';

export interface View {
  /** The first word of its address. */
  readonly name: string;
  readonly title: string;
  /** The path of an icon of 16 × 16. */
  readonly icon: string;
  /** Whether it is about all tenants, and refused for people of one. */
  readonly isOfAll?: true;
  /** Loads its code when it is opened. */
  load(): Promise<{ readonly default: ComponentType<ViewProps> }>;
}

/** In the order of the navigation. The first one is at `/console`. */
export const views: readonly View[] = [
  {
    name: 'overview',
    title: 'Overview',
    icon: 'M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z',
    load: () => import('../overview/view.tsx'),
  },
  {
    name: 'explorer',
    title: 'Explorer',
    icon: 'M2 3h12v2H2zM2 7h8v2H2zM2 11h5v2H2zM11 8l4 3-4 3z',
    load: () => import('../explorer/view.tsx'),
  },
  {
    name: 'traffic',
    title: 'Traffic',
    icon: 'M1 9h3l2-6 4 10 2-6h3v2h-2l-3 7L6 7 5 11H1z',
    load: () => import('../traffic/view.tsx'),
  },
  {
    name: 'callers',
    title: 'Callers',
    icon: 'M5 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM0 14c0-3 2-5 5-5s5 2 5 5zM11 3h5v2h-5zM11 7h5v2h-5zM12 11h4v2h-4z',
    load: () => import('../callers/view.tsx'),
  },
  {
    name: 'shadow',
    title: 'Shadow',
    icon: 'M2 2h9v2H4v7H2zM6 6h8v8H6zM8 8v4h4V8z',
    isOfAll: true,
    load: () => import('../shadow/view.tsx'),
  },
  {
    name: 'state',
    title: 'State',
    icon: 'M2 3h12v3H2zM2 7h12v3H2zM2 11h12v3H2z',
    load: () => import('../state/view.tsx'),
  },
  {
    name: 'actions',
    title: 'Actions',
    icon: 'M2 2h9l3 3v9H2zM4 6h6v1.5H4zM4 9h8v1.5H4zM4 12h5v1H4z',
    load: () => import('../actions/view.tsx'),
  },
  {
    name: 'docs',
    title: 'Documentation',
    icon: 'M2 2h5l1 1 1-1h5v11H9l-1 1-1-1H2zM4 5v1.5h3V5zM9 5v1.5h3V5zM4 8v1.5h3V8zM9 8v1.5h3V8z',
    load: () => import('../docs/view.tsx'),
  },
  {
    name: 'testing',
    title: 'Test API',
    icon: 'M6 1h4v1.5H9.5V6l4 7.5a1 1 0 0 1-.9 1.5H3.4a1 1 0 0 1-.9-1.5l4-7.5V2.5H6z',
    isOfAll: true,
    load: () => import('../testing/view.tsx'),
  },
];
