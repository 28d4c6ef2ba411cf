/** Reads from the settings who may use the admin port. */
import type { AdminAccess } from '../http/index.ts';
import type { Config } from './config.ts';

export function adminAccess({ adminHost, adminHosts, adminToken }: Config): AdminAccess {
  return { hosts: [adminHost.toLowerCase(), ...adminHosts], token: adminToken };
}
