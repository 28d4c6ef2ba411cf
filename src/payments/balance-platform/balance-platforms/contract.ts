/** The balance platform, which owns all other resources. */
import { type Infer, object, oneOf, operation, required } from '../../../core/contract/index.ts';
import { platformProblems } from '../problems.ts';
import { roles } from '../roles.ts';
import * as shapes from '../schemas.ts';

/** Capitalized, unlike the statuses of other resources. */
export const platformStatus = oneOf('BalancePlatformStatus', 'Active', 'Inactive', 'Closed', 'Suspended');

const balancePlatform = object('BalancePlatform', {
  description: shapes.description,
  id: required(shapes.platformId, 'Identifies the balance platform.'),
  status: required(platformStatus, 'The status.'),
});

export const getBalancePlatform = operation({
  name: 'getBalancePlatform',
  http: { method: 'GET', path: '/balancePlatforms/{id}' },
  doc: 'Returns a balance platform.',
  effect: 'reads',
  role: roles.read,
  problems: [platformProblems.resourceNotFound],
  input: object('GetBalancePlatform', { id: shapes.idInPath(shapes.platformId, 'balance platform') }),
  output: balancePlatform,
});

export const operations = [getBalancePlatform] as const;

export interface Platform {
  readonly id: string;
  /** The company that owns it. */
  readonly company: string;
  readonly description?: string | undefined;
  readonly status: Infer<typeof platformStatus>;
  /** The default of account holders. */
  readonly timeZone: string;
}
