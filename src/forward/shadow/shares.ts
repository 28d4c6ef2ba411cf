/** Which requests are copied to a shadow, and which ones it answers: shares of all requests, of a caller or of an operation. */
import { hash } from 'node:crypto';
import type { AnyRequest } from '../../core/contract/index.ts';

/** A share that an operator has set. */
export interface Share {
  /** `Orders.getOrder`; empty for all operations. */
  readonly operation: string;
  /** The id of a credential; empty for all callers. */
  readonly caller: string;
  /** Percent of the requests that are copied; absent where another share says it. */
  readonly copied?: number | undefined;
  /** Percent of the requests, or of the callers, that the shadow answers; absent where another share says it. */
  readonly answered?: number | undefined;
}

/** What the configuration says. */
export interface ShareOptions {
  readonly percent: number;
  /** The ids of credentials; absent for all. */
  readonly callers?: readonly string[] | undefined;
  /** `Orders` or `Orders.getOrder`; absent for all. */
  readonly operations?: readonly string[] | undefined;
}

type ShareKind = 'copied' | 'answered';

export function operationName({ service, operation }: Pick<AnyRequest, 'service' | 'operation'>): string {
  return `${service.name}.${operation.name}`;
}

/** Returns the share of the narrowest entry: of a caller and an operation, of a caller, of an operation, of all. */
export function findShare(
  shares: readonly Share[],
  kind: ShareKind,
  { operation, caller }: Pick<Share, 'operation' | 'caller'>,
): number | undefined {
  let found: number | undefined;
  let rank = -1;
  for (const each of shares) {
    const percent = each[kind];
    if (percent === undefined) continue;
    if ((each.caller !== '' && each.caller !== caller) || (each.operation !== '' && each.operation !== operation))
      continue;
    const own = (each.caller === '' ? 0 : 2) + (each.operation === '' ? 0 : 1);
    if (own > rank) [found, rank] = [percent, own];
  }
  return found;
}

/** The share of copies that the configuration says. */
export function configuredShare(
  { percent, callers, operations }: ShareOptions,
  { operation, caller }: Pick<Share, 'operation' | 'caller'>,
): number {
  const [service = ''] = operation.split('.');
  const isCaller = callers === undefined || callers.includes(caller);
  const isOperation = operations === undefined || operations.includes(operation) || operations.includes(service);
  return isCaller && isOperation ? percent : 0;
}

/** Whether a text is among the first percent of all texts. Who is within 10 % is within 50 %, too, in every process. */
export function isWithin(percent: number, text: string): boolean {
  if (percent <= 0) return false;
  if (percent >= 100) return true;
  return Number.parseInt(hash('sha256', text).slice(0, 8), 16) % 10_000 < percent * 100;
}
