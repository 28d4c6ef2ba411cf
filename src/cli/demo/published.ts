/** What everyone may know of the demo: its companies, accounts, balance platform and secrets, as the README prints them. */
import type { PresentedCredential } from '../../store/sql/credentials.ts';

export interface PublishedCredential {
  readonly company: string;
  /** Where it acts for one, and not for the company's merchant accounts. */
  readonly balancePlatform?: string;
  readonly shown: PresentedCredential;
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

const basic = (company: string, secret: string): PublishedCredential => ({
  company,
  shown: { kind: 'basic', username: `ws@Company.${company}`, secret },
});

const apiKey = (company: string, secret: string): PublishedCredential => ({
  company,
  shown: { kind: 'apiKey', secret },
});

export const demoCredentials: readonly PublishedCredential[] = Object.freeze([
  basic('Demo', 'demo-password'),
  apiKey('Demo', 'demo-api-key'),
  basic('Other', 'other-password'),
  apiKey('Other', 'other-api-key'),
  {
    company: 'Demo',
    balancePlatform: demoPlatform.id,
    shown: { kind: 'basic', username: 'ws@BalancePlatform.Demo', secret: 'demo-password' },
  },
  { company: 'Demo', balancePlatform: demoPlatform.id, shown: { kind: 'apiKey', secret: 'demo-platform-key' } },
]);
