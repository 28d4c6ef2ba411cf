/** What the console needs of a running server, in the process that serves it. */

import type { LoginGuard, PresentedSecret } from '../access/index.ts';
import type { ProcessReport, UpstreamPlan } from '../backend/index.ts';
import type { Caller, Input, Operation, Output } from '../core/contract/index.ts';
import type { Readiness } from '../http/index.ts';
import type { TrafficReader } from '../insight/traffic/index.ts';
import type { OperatorContext } from '../operators/index.ts';
import type { DemoControls } from './testing/controls.ts';

/** A public credential of a caller. */
export interface DemoCaller {
  readonly presented: PresentedSecret;
  readonly roles: readonly string[];
}

export interface ConsoleContext extends Omit<OperatorContext, 'by' | 'progress' | 'mappedUpstreams' | 'shadows'> {
  /** Replaces the upstreams with a shadow of the plan. */
  readonly shadows?: OperatorContext['shadows'];
  readonly readiness: () => Promise<Readiness>;
  /** Which upstream answers which operation. */
  readonly plan: UpstreamPlan;
  /** What the processes that serve callers say of themselves. One that hangs is missing. */
  readonly processes: () => Promise<readonly ProcessReport[]>;
  /** In a demo that can be controlled. */
  readonly demoControls?: DemoControls | undefined;
  readonly guard: LoginGuard;
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

/** The address that callers use, for programs and lists of services. */
export function originForCallers({ config, callers }: Pick<ConsoleContext, 'config' | 'callers'>): string {
  return config.publicUrl ?? callers();
}

/** The handlers of a view, one for each operation. They open transactions of their own. */
export type ViewHandlers<O extends Operation> = {
  readonly [N in O['name']]: (
    input: Input<Extract<O, { readonly name: N }>>,
    caller: Caller,
  ) => Promise<Output<Extract<O, { readonly name: N }>>>;
};
