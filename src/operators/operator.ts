/** What the handlers of operators' actions get, and how they refuse. Commands and the console call them. */
import type { AuditActor } from '../access/index.ts';
import type { Backend, ShadowAbout } from '../backend/index.ts';
import type { Config } from '../config/index.ts';
import {
  type Input,
  type Operation,
  type Output,
  Problem,
  type ProblemKind,
  type Service,
} from '../core/contract/index.ts';
import type { DeprecationRule } from '../insight/index.ts';
import { type OwnProof, operatorProblems } from './operation.ts';

export interface OperatorContext {
  readonly config: Config;
  readonly backend: Backend;
  /** Every version; of each service, the newest last. */
  readonly services: readonly Service[];
  /** The address of the services for callers, where PUBLIC_URL does not name it. */
  readonly callers: () => string;
  readonly deprecations: {
    /** Those of the configuration. */
    readonly configured: readonly DeprecationRule[];
    /** The file that holds them. */
    readonly source: string;
    /** Makes this process take over what the store holds. Absent where it serves no callers. */
    refresh?(): Promise<void>;
  };
  /** The names of upstreams that receive a credential for each credential of a caller. */
  readonly mappedUpstreams: readonly string[];
  /** The upstreams of the configuration that have a shadow. */
  readonly shadows: readonly ShadowAbout[];
  /** Makes this process take over what the store holds of shadows. Absent where it serves no callers. */
  readonly refreshShadows?: (() => Promise<void>) | undefined;
  /** Who acts. */
  readonly by: AuditActor;
  /** Checks who acts once more, before a secret is replaced. Refuses a wrong proof. Absent where the request itself has the secret, and for commands. */
  readonly confirm?: ((proof: OwnProof) => Promise<void>) | undefined;
  /** The tenant that the person is bound to; absent for people who operate the gateway. */
  readonly boundTenant?: string | undefined;
  /** Shows how far a long action is. */
  readonly progress?: ((total: number) => (done: number, label: string) => void) | undefined;
}

/** One handler for each operation. `C`: what the handlers need. */
export type OperatorHandlers<O extends Operation, C = OperatorContext> = {
  readonly [N in O['name']]: (
    input: Input<Extract<O, { readonly name: N }>>,
    context: C,
  ) => Promise<Output<Extract<O, { readonly name: N }>>>;
};

/** Throws a refusal with its text, which commands and the console show as it is. */
export function refuse(text: string, problem: ProblemKind = operatorProblems.refusedAction): never {
  throw new Problem(problem, text);
}
