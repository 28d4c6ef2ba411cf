/** The configuration file of a project: `triglyph.config.ts`. */

import type { AnsweredBy, GatewayCaller, GatewayService, Upstreams } from '../../backend/index.ts';
import type { DeprecationRule } from '../../insight/index.ts';

/** Settings by their names; `true` and `false` are `on` and `off`. */
export type SettingTexts<N extends string = string> = { readonly [K in N]?: string | number | boolean | undefined };

/** What `triglyph.config.ts` exports as its default. `S`: its settings. */
export interface ConfigContent<S extends SettingTexts = SettingTexts> {
  /** Served next to the built-in services, or alone with `builtIn: false`. */
  readonly services?: readonly GatewayService[];
  /** `false`: the built-in services are not served, and their settings do not exist. By default they are. */
  readonly builtIn?: boolean;
  /** The environment and `.env` override them. */
  readonly settings?: S;
  /** Other servers that answer operations, by name. */
  readonly upstreams?: Upstreams;
  /** Which of them answers a service, or one of its operations. */
  readonly answeredBy?: AnsweredBy;
  /** Callers that need no stored credential. */
  readonly callers?: readonly GatewayCaller[];
  /** The calls that are deprecated, of all services. */
  readonly deprecations?: readonly DeprecationRule[];
}
