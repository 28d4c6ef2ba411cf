/** The configuration file of a project: `triglyph.config.ts`. */

import type { OwnService } from '../backend/own-services.ts';
import type { AnsweredBy, Upstreams } from '../backend/upstreams/options.ts';
import type { DeprecationRule } from '../callers/deprecation.ts';
import type { Setting } from '../config/setting.ts';
import type { settings } from '../config/settings.ts';

/** A setting of docs/configuration.md, or the variable that names a file with its value. */
export type SettingName = (typeof settings)[keyof typeof settings] extends infer S
  ? S extends Setting<unknown, infer N, infer F>
    ? N | F
    : never
  : never;

/** Settings by their names; `true` and `false` are `on` and `off`. */
export type SettingValues = { readonly [N in SettingName]?: string | number | boolean | undefined };

/** What `triglyph.config.ts` exports as its default. */
export interface ConfigFile {
  /** Served next to the built-in services. */
  readonly services?: readonly OwnService[];
  /** The environment and `.env` override them. */
  readonly settings?: SettingValues;
  /** Other servers that answer operations, by name. */
  readonly upstreams?: Upstreams;
  /** Which of them answers a service, or one of its operations. */
  readonly answeredBy?: AnsweredBy;
  /** The calls that are deprecated, of all services. */
  readonly deprecations?: readonly DeprecationRule[];
}

/** Returns the configuration, for the types: `export default defineConfig({ services: [orders] })`. */
export function defineConfig(config: ConfigFile): ConfigFile {
  return config;
}
