/** The views of the console. Each has a line here, and a folder next to this file. */
import type { ViewName } from '../contract.ts';

export interface View {
  readonly name: ViewName;
  readonly title: string;
}

export const views: readonly View[] = [{ name: 'overview', title: 'Overview' }];
