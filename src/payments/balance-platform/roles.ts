/** The roles of the balance platform. */

export const roles = Object.freeze({ read: 'balancePlatform:read', write: 'balancePlatform:write' });

/** What the role `balancePlatform` stands for. */
export const platformRoleSet: readonly string[] = Object.freeze(Object.values(roles));

export const platformRoles: readonly string[] = Object.freeze(['balancePlatform', ...platformRoleSet]);
