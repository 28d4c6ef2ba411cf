/** What the console needs of a running server, in the process that serves it. */

import type { Backend } from '../backend/backend.ts';
import type { ProcessReport } from '../backend/process-report.ts';
import type { UpstreamPlan } from '../backend/upstreams/plan.ts';
import type { PresentedSecret } from '../callers/credentials/credentials.ts';
import type { DeprecationRule } from '../callers/deprecation.ts';
import type { Config } from '../config/config.ts';
import type { Service } from '../contract/service.ts';
import type { LoginGuard } from '../gateway/login-guard.ts';
import type { Readiness } from '../http/admin.ts';
import type { TrafficReader } from '../observe/traffic/reader.ts';
import type { DemoCaller } from './explorer/port.ts';
import type { DemoControls } from './testing/port.ts';

export interface ConsoleContext {
  readonly config: Config;
  readonly backend: Backend;
  /** Every version; of each service, the newest last. */
  readonly services: readonly Service[];
  /** Where callers reach the services: `http://127.0.0.1:8080`. */
  readonly callers: () => string;
  readonly readiness: () => Promise<Readiness>;
  /** Which upstream answers which operation. */
  readonly plan: UpstreamPlan;
  /** What the processes that serve callers say of themselves. One that hangs is missing. */
  readonly processes: () => Promise<readonly ProcessReport[]>;
  /** In a demo that can be controlled. */
  readonly demoControls?: DemoControls | undefined;
  readonly guard: LoginGuard;
  readonly deprecations: {
    /** Those of the configuration. */
    readonly configured: readonly DeprecationRule[];
    /** The file that holds them. */
    readonly source: string;
    /** Makes this process take over what the store holds. Absent where it serves no callers: workers poll. */
    refresh?(): Promise<void>;
  };
  /** In the demo: the credential of the log-in by one click. */
  readonly oneClick?: PresentedSecret | undefined;
  /** Absent where nothing is recorded. */
  readonly traffic: TrafficReader | undefined;
  /** In the demo: the public credentials of callers, by name. */
  readonly demoCallers?: ReadonlyMap<string, DemoCaller> | undefined;
  /** Of the port for callers, in PEM; undefined without TLS. */
  readonly certificate: () => string | undefined;
  readonly failed: (thrown: unknown) => void;
}
