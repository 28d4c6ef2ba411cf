/** The balance platforms that credentials may name, with their resources. */
import { object, optional, required } from '../../../core/contract/index.ts';
import { acts, inPath, operatorProblems, reads, rows, text } from '../../../operators/index.ts';
import { platformStatus } from '../balance-platforms/contract.ts';

const name = text(200, 'Acme');
const refused = [operatorProblems.refusedAction];
const company = required(name, 'The company that it belongs to.');
const platform = {
  company,
  id: required(text(200, 'AcmePlatform'), 'The id of the balance platform in requests.'),
  description: optional(text(1_000, 'Ours'), 'The description that responses return.'),
};

export const listBalancePlatforms = reads(
  'listBalancePlatforms',
  'GET /accounts/balancePlatforms',
  'Returns the balance platforms with their companies.',
  {},
  object('BalancePlatforms', {
    platforms: rows(
      'BalancePlatformOfCompany',
      {
        ...platform,
        status: required(platformStatus, 'Its status.'),
        timeZone: required(name, 'The time zone of account holders without one.'),
      },
      'The balance platforms.',
      100_000,
    ),
  }),
  refused,
);

export const saveBalancePlatform = acts(
  'saveBalancePlatform',
  'POST /accounts/balancePlatforms',
  'Adds a balance platform, or changes it.',
  {
    ...platform,
    status: optional(platformStatus, 'Only an Active platform, which is the default, may get resources.'),
    timeZone: optional(name, 'The time zone of account holders without one; Europe/Amsterdam by default.'),
  },
  object('SavedBalancePlatform', { id: platform.id, company }),
  { audited: ['company', 'id', 'status'], problems: refused },
);

export const showPlatform = reads(
  'showPlatform',
  'GET /accounts/balancePlatforms/{platform}/resources',
  'Returns the account holders, balance accounts and payment instruments of a platform, with their statuses.',
  { platform: required(name, 'The id of the balance platform.', inPath) },
  object('PlatformResources', {
    resources: rows(
      'PlatformResource',
      {
        kind: required(name, 'Its kind.'),
        id: required(name, 'Its id.'),
        status: required(name, 'Its status.'),
        reference: optional(name, 'Its reference.'),
        parent: optional(name, 'The id of the resource that it belongs to. Absent where that is the platform.'),
      },
      'The resources, each behind the one that it belongs to, oldest first.',
      1_000_000,
    ),
  }),
  refused,
);

export const platformOperations = [listBalancePlatforms, saveBalancePlatform, showPlatform] as const;
