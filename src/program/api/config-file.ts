/** The configuration file of a project, with the types of its settings. */

import type { Setting, SettingTable, settings } from '../../config/index.ts';
import type { recurringSettings } from '../../payments/index.ts';
import type { ConfigContent, SettingTexts } from '../app/config-file.ts';

type NamesOf<T extends SettingTable> = T[keyof T] extends infer S
  ? S extends Setting<unknown, infer N, infer F>
    ? N | F
    : never
  : never;

/** A setting of docs/configuration.md, or the variable that names a file with its value. */
export type SettingName = NamesOf<typeof settings> | NamesOf<(typeof recurringSettings)['table']>;

/** What `triglyph.config.ts` exports as its default. `N`: the names of settings of services of one's own. */
export interface ConfigFile<N extends string = never> extends ConfigContent<SettingTexts<SettingName | N>> {}

/** Returns the configuration, for the types: `export default defineConfig({ services: [orders] })`. */
export function defineConfig<N extends string = never>(config: ConfigFile<NoInfer<N>>): ConfigFile<N> {
  return config;
}
