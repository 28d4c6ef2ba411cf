/** disablePermit: version 25, which cases call, lacks it. `permits.test.ts` has its cases. */
import type { Access, Case } from '../case.ts';

export const access: Access = { roles: ['recurring', 'recurring:permit'], readOnly: false, since: 61 };

export const cases: readonly Case[] = [];
