/** Operations on deprecations, brown-outs and exemptions. */
import { operation } from '../../contract/operation.ts';
import { boolean, integer, list, object, oneOf, optional, required } from '../../contract/schema.ts';
import { roles } from '../roles.ts';
import { count, moment, text } from '../schemas.ts';
import { callerProblems as problems } from './problems.ts';
import { useFields } from './records.ts';
import { longText, name, rule } from './rule-schema.ts';

const exemption = object('Exemption', {
  credential: required(name, 'The id of the credential.'),
  username: optional(name, 'Its username.'),
  exemptedAt: optional(moment, 'When; absent for one of the configuration.'),
  exemptedBy: optional(name, 'Who; absent for one of the configuration.'),
});

const deprecation = object('Deprecation', {
  id: required(name, 'Identifies the deprecation.'),
  source: required(text(2_000, 'triglyph.config.ts'), '`store`, or the configuration file that holds it.'),
  isStored: required(boolean(true), 'Whether it can be changed here.'),
  revision: optional(integer(0, Number.MAX_SAFE_INTEGER, 7), 'For `seen`; absent for one of the configuration.'),
  changedAt: optional(moment, 'When it was set or changed.'),
  changedBy: optional(name, 'By whom.'),
  calls: required(longText, 'The calls, in words.'),
  rule: required(rule, 'Its members.'),
  state: required(
    oneOf('DeprecationState', 'scheduled', 'announced', 'brownOut', 'retired'),
    'What it means for its calls now: `brownOut` and `retired` refuse them.',
  ),
  until: optional(moment, 'The end of the brown-out.'),
  exemptions: required(list(exemption, 'Exemption', { max: 2_000 }), 'Credentials that are exempt.'),
});

export const listDeprecations = operation({
  name: 'listDeprecations',
  http: { method: 'GET', path: '/callers/deprecations' },
  doc: 'Returns the deprecations of the configuration and those that were set while the gateway runs.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('ListDeprecations', {}),
  output: object('Deprecations', {
    deprecations: required(list(deprecation, 'Deprecation', { max: 1_000 }), 'Active deprecations.'),
    invalid: required(
      list(
        object('InvalidDeprecation', {
          id: required(name, 'Identifies the deprecation.'),
          changedAt: required(moment, 'When it was set.'),
          changedBy: required(name, 'By whom.'),
          faults: required(list(longText, 'fault', { max: 100 }), 'Why it is not applied.'),
        }),
        'InvalidDeprecation',
        { max: 1_000 },
      ),
      'Deprecations that this release cannot apply.',
    ),
    credentials: required(
      list(
        object('KnownCredential', {
          id: required(name, 'The id.'),
          username: optional(name, 'The username.'),
          tenant: required(name, 'The tenant.'),
        }),
        'KnownCredential',
        { max: 10_000 },
      ),
      'The credentials that are not revoked.',
    ),
  }),
});

export const previewDeprecation = operation({
  name: 'previewDeprecation',
  http: { method: 'POST', path: '/callers/preview' },
  doc: 'Checks a deprecation, and returns whom of the last 30 days it concerns. Changes nothing.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('PreviewDeprecation', { rule: required(rule, 'The deprecation.') }),
  output: object('DeprecationPreview', {
    faults: required(list(longText, 'fault', { max: 1_000 }), 'What is wrong with it.'),
    credentials: required(count, 'How many credentials it concerns.'),
    requests: required(count, 'How many requests of the last 30 days, of the callers below.'),
    total: required(count, 'How many records it concerns.'),
    callers: required(
      list(
        object('ConcernedCaller', {
          id: required(name, 'The id of the record.'),
          ...useFields,
          client: required(name, 'How the client names itself.'),
          lastUsedAt: required(moment, 'The last request.'),
          requests: required(count, 'The requests of the last 30 days.'),
          isExempt: required(boolean(false), 'Whether the credential is exempt.'),
        }),
        'ConcernedCaller',
        { max: 200 },
      ),
      'The first records that it concerns, last used first.',
    ),
  }),
});

const seen = optional(integer(0, Number.MAX_SAFE_INTEGER, 7), 'The revision that the change is based on.');

const changed = object('ChangedDeprecation', { id: required(name, 'The id of the deprecation.') });

export const addDeprecation = operation({
  name: 'addDeprecation',
  http: { method: 'POST', path: '/callers/deprecations' },
  doc: 'Sets a deprecation. Every serving process takes it over within two seconds.',
  effect: 'writes',
  role: roles.act,
  problems: [problems.invalidDeprecation, problems.tooManyDeprecations],
  input: object('AddDeprecation', { rule: required(rule, 'The deprecation.') }),
  output: changed,
});

export const replaceDeprecation = operation({
  name: 'replaceDeprecation',
  http: { method: 'POST', path: '/callers/deprecations/{id}' },
  doc: 'Replaces a deprecation that was set while the gateway runs. Its exemptions stay.',
  effect: 'writes',
  role: roles.act,
  problems: [
    problems.invalidDeprecation,
    problems.deprecationNotFound,
    problems.deprecationChanged,
    problems.tooManyDeprecations,
  ],
  input: object('ReplaceDeprecation', {
    id: required(name, 'The id of the deprecation.', { in: 'path' }),
    rule: required(rule, 'The deprecation.'),
    seen,
  }),
  output: changed,
});

export const removeDeprecation = operation({
  name: 'removeDeprecation',
  http: { method: 'POST', path: '/callers/deprecations/{id}/remove' },
  doc: 'Removes a deprecation that was set while the gateway runs, with its exemptions.',
  effect: 'writes',
  role: roles.act,
  problems: [problems.deprecationNotFound, problems.deprecationChanged],
  input: object('RemoveDeprecation', { id: required(name, 'The id of the deprecation.', { in: 'path' }), seen }),
  output: changed,
});

const exemptionInput = {
  id: required(name, 'The id of the deprecation, also of the configuration.', { in: 'path' }),
  credential: required(name, 'The id of the credential.'),
} as const;

export const exemptCaller = operation({
  name: 'exemptCaller',
  http: { method: 'POST', path: '/callers/deprecations/{id}/exempt' },
  doc: 'Exempts a credential from a deprecation: its calls are served, and say nothing.',
  effect: 'writes',
  role: roles.act,
  problems: [problems.deprecationNotFound, problems.tooManyDeprecations],
  input: object('ExemptCaller', exemptionInput),
  output: changed,
});

export const endExemption = operation({
  name: 'endExemption',
  http: { method: 'POST', path: '/callers/deprecations/{id}/endExemption' },
  doc: 'Ends an exemption that was set while the gateway runs.',
  effect: 'writes',
  role: roles.act,
  problems: [problems.deprecationNotFound],
  input: object('EndExemption', exemptionInput),
  output: changed,
});

export const deprecationOperations = [
  listDeprecations,
  previewDeprecation,
  addDeprecation,
  replaceDeprecation,
  removeDeprecation,
  exemptCaller,
  endExemption,
] as const;
