/** Credentials hold the grants of any service as JSON: values by the name of the grant. */
import type { Migration } from '../migration.ts';

export const credentialGrants: Migration = Object.freeze({
  number: 12,
  name: 'credential-grants',
  statements: Object.freeze([
    'alter table credential rename column merchant_accounts to grants',
    // The part of the tenant that the credential is confined to. The engine knows no table of a service.
    'alter table credential add column tenant_partition text',
    `update credential
        set tenant_partition = balance_platform,
            grants = case
              when balance_platform is not null then '{"balancePlatform":["' || balance_platform || '"]}'
              when substr(grants, 1, 1) = '[' then '{"merchantAccount":' || grants || '}'
              else grants
            end`,
    'alter table credential drop column balance_platform',
  ]),
});
