/** Roles: which of them authorize an operation, and those of the gateway itself. */
import type { Operation } from './operation.ts';
import type { Service } from './service.ts';

/** The roles of people and programs that operate the gateway. No operation of a service names one. */
export const gatewayRoles = Object.freeze({
  console: 'reads the console of the gateway',
  'console-admin': 'changes settings and stored data in the console',
  'console-tenant': 'reads what the console shows of the tenant of its credential',
  'console-tenant-admin': 'reads and changes what the console shows of the tenant of its credential',
  audit: 'reads the audit log',
});

/** The roles that authorize an operation, each alone: its own, and every set of its service that contains it. */
export function rolesFor({ roleSets = {} }: Pick<Service, 'roleSets'>, { role }: Operation): readonly string[] {
  const sets = Object.entries(roleSets).flatMap(([name, members]) => (members.includes(role) ? [name] : []));
  return Object.freeze([role, ...sets]);
}

/** The roles that a credential may have: those of the services, and those of the gateway. */
export function knownRoles(services: readonly Pick<Service, 'roles'>[]): readonly string[] {
  return [...new Set([...services.flatMap(({ roles }) => roles), ...Object.keys(gatewayRoles)])];
}
