/** What everyone may know of the demo: its companies, accounts and secrets, as the README prints them. */
import type { Shown } from '../../gateway/ports.ts';

export interface PublishedCredential {
  readonly company: string;
  readonly shown: Shown;
}

export const demoAccounts = Object.freeze([
  { company: 'Demo', code: 'DemoMerchant' },
  { company: 'Demo', code: 'DemoMerchantNL' },
  { company: 'Other', code: 'OtherMerchant' },
]);

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
]);
