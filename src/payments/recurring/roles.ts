/** The roles of the recurring service. */

/** One for each operation. */
export const roles = Object.freeze({
  list: 'recurring:list',
  store: 'recurring:store',
  disable: 'recurring:disable',
  update: 'recurring:update',
  notify: 'recurring:notify',
  permit: 'recurring:permit',
  lookup: 'recurring:lookup',
});

/** A caller that looks up tokens can search for card numbers, so credentials get that role by its name only. */
const { lookup, ...others } = roles;

/** What the role `recurring` stands for. */
export const recurringRoleSet: readonly string[] = Object.freeze(Object.values(others));

export const recurringRoles: readonly string[] = Object.freeze(['recurring', ...recurringRoleSet, lookup]);
