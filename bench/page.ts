/** Writes the results of a run between its markers in docs/bench.md, or in another page. */
import { writeBetweenMarkers } from '../scripts/section.ts';
import type { Scenario } from './scenarios.ts';

const pageOf = (section: Section): URL =>
  new URL(`../docs/${['security', 'costs', 'logins'].includes(section) ? 'security.md' : 'bench.md'}`, import.meta.url);

export type Section =
  | Scenario['name']
  | 'clean-up'
  | 'codecs'
  | 'commands'
  | 'costs'
  | 'embedding'
  | 'engines'
  | 'logins'
  | 'orders'
  | 'postgres'
  | 'processes'
  | 'profile'
  | 'records'
  | 'recovery'
  | 'scale'
  | 'security'
  | 'stores'
  | 'shadow'
  | 'upstream'
  | 'writes'
  | 'writes-against';

/** Replaces one section of the page; throws where the page lacks its markers. */
export const writeSection = (section: Section, text: string): void =>
  writeBetweenMarkers(pageOf(section), section, text);
