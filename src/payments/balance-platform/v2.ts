/** The balance platform, version 2: its operations as tables (specification, section 4). */
import { type Operation, service } from '../../core/contract/index.ts';
import { conventions } from '../conventions.ts';
import { balancePlatformHandlers } from './balance-platforms/handlers.ts';
import { platformProblems } from './problems.ts';
import { resources } from './resources.ts';
import { platformRoleSet, platformRoles } from './roles.ts';

// Documents list the operations in this order: by the first word of their paths.
const operations = [balancePlatformHandlers, ...resources.map(({ handlers }) => handlers)]
  .flatMap((handlers) => [...handlers.keys()])
  // By code units: the comparison of locales takes 15 ms for the first time.
  .toSorted((a, b) => (collectionOf(a) < collectionOf(b) ? -1 : collectionOf(a) === collectionOf(b) ? 0 : 1));

export const balancePlatformV2 = service({
  name: 'BalancePlatform',
  address: '/bcl',
  conventions,
  hashPrefix: '',
  problems: platformProblems,
  version: 2,
  answers: { from: 2, to: 2 },
  doc: 'Account holders, their balance accounts, and the cards and bank accounts that these are used with.',
  roles: platformRoles,
  roleSets: { balancePlatform: platformRoleSet },
  operations,
});

function collectionOf({ http }: Operation): string {
  return http?.path.split('/')[1] ?? '';
}
