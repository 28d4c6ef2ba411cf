/** The roles of the console, as credentials have them. */

export const roles = Object.freeze({ read: 'console', act: 'console-admin' });

export const consoleRoles: readonly string[] = Object.freeze(Object.values(roles));
