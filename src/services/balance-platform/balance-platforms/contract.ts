/** The balance platform itself, which everything else belongs to. */
import { operation } from '../../../contract/operation.ts';
import { object, oneOf, required } from '../../../contract/schema.ts';
import { platformProblems } from '../problems.ts';
import * as shapes from '../schemas.ts';

/** With capitals, unlike the statuses of all that belongs to it (as callers know them). */
export const platformStatus = oneOf('BalancePlatformStatus', 'Active', 'Inactive', 'Closed', 'Suspended');

export const balancePlatform = object('BalancePlatform', {
  description: shapes.description,
  id: required(shapes.platformId, 'Identifies the balance platform.'),
  status: required(platformStatus, 'The status.'),
});

export const getBalancePlatform = operation({
  name: 'getBalancePlatform',
  http: { method: 'GET', path: '/balancePlatforms/{id}' },
  doc: 'Returns a balance platform.',
  effect: 'reads',
  role: 'balancePlatform',
  problems: [platformProblems.resourceNotFound],
  input: object('GetBalancePlatform', { id: shapes.idInPath(shapes.platformId, 'balance platform') }),
  output: balancePlatform,
});
