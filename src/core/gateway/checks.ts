/** Checks of requests that services and settings add to those of the gateway. They are compiled at the start. */
import { findDeprecation, type RequestState } from './answer.ts';
import type { CurrentDeprecations } from './deprecations.ts';
import type { ScanTexts } from './text-scan.ts';

/** Throws the refusal of a request. */
type Check = (request: RequestState) => void;

export interface Checks {
  /** Of each request whose body was decoded. */
  readonly decoded: Check;
  /** Of each request that is valid and authorized. */
  readonly authorized: Check;
}

const ignore: Check = () => {};
export const noChecks: Checks = Object.freeze({ decoded: ignore, authorized: ignore });

/** `scanTexts`: absent where no service knows secrets that texts may hold. */
export function compileChecks(deprecations: CurrentDeprecations, scanTexts?: ScanTexts): Checks {
  return Object.freeze<Checks>({
    decoded: (request) => refuseDeprecated(request, deprecations),
    authorized:
      scanTexts === undefined
        ? ignore
        : ({ decoded, caller }) => void (decoded && caller && scanTexts(decoded, caller.credential)),
  });
}

/** Throws the refusal of a call that is switched off for a while, or for good. */
function refuseDeprecated(request: RequestState, deprecations: CurrentDeprecations): void {
  const refusal = findDeprecation(request, deprecations)?.refusal;
  if (refusal !== undefined) throw refusal;
}
