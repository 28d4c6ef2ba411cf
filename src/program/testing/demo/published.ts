/** The public data of the demo, as the README prints it: companies, accounts, balance platform and secrets. */
import type { PresentedSecret } from '../../../access/index.ts';

export interface PublishedCredential {
  readonly company: string;
  /** Absent for a credential of the company's merchant accounts. */
  readonly balancePlatform?: string;
  readonly presented: PresentedSecret;
  /** Absent for a credential of a service. */
  readonly roles?: readonly string[];
}

export const demoAccounts = Object.freeze([
  { company: 'Demo', code: 'DemoMerchant' },
  { company: 'Demo', code: 'DemoMerchantNL' },
  { company: 'Other', code: 'OtherMerchant' },
]);

export const demoPlatform = Object.freeze({
  id: 'DemoPlatform',
  company: 'Demo',
  description: 'The platform of the demo',
  status: 'Active',
  timeZone: 'Europe/Amsterdam',
} as const);

/** The log-in by one click to the console of the demo. */
export const demoConsole: PublishedCredential = Object.freeze<PublishedCredential>({
  company: 'Demo',
  roles: ['console-admin'],
  presented: { kind: 'basic', username: 'console@Company.Demo', secret: 'demo-console' },
});

export const demoCredentials: readonly PublishedCredential[] = Object.freeze([
  basic('Demo', 'demo-password'),
  apiKey('Demo', 'demo-api-key'),
  basic('Other', 'other-password'),
  apiKey('Other', 'other-api-key'),
  {
    company: 'Demo',
    balancePlatform: demoPlatform.id,
    presented: { kind: 'basic', username: 'ws@BalancePlatform.Demo', secret: 'demo-password' },
  },
  { company: 'Demo', balancePlatform: demoPlatform.id, presented: { kind: 'apiKey', secret: 'demo-platform-key' } },
]);

export function rolesOf({ balancePlatform, roles }: PublishedCredential): readonly string[] {
  return roles ?? (balancePlatform === undefined ? ['recurring', 'recurring:lookup'] : ['balancePlatform']);
}

function basic(company: string, secret: string): PublishedCredential {
  return { company, presented: { kind: 'basic', username: `ws@Company.${company}`, secret } };
}

function apiKey(company: string, secret: string): PublishedCredential {
  return { company, presented: { kind: 'apiKey', secret } };
}
