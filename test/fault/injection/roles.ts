/** The roles whose operations the tracks call; each has a credential. */
export const roles = ['recurring', 'balancePlatform'] as const;
export type Role = (typeof roles)[number];
