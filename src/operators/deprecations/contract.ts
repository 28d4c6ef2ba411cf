/** Deprecations of calls, brown-outs and exemptions. */
import { boolean, integer, list, object, oneOf, optional, required } from '../../core/contract/index.ts';
import { name, callerProblems as problems, useFields } from '../callers/contract.ts';
import { acts, count, inPath, moment, reads, rows, text, values } from '../operation.ts';

const longText = text(4_000, 'deprecation.sunset is before deprecatedSince.');
const revision = integer(0, Number.MAX_SAFE_INTEGER, 7);
const names = (item: string) => list(name, item, { max: 100 });

/** The members of a deprecation, as the configuration has them. The handlers check what they mean. */
const rule = object('DeprecationRule', {
  format: optional(names('format'), 'The formats: `soap11`, `soap12`, `json`, `form`, `adapter`, `rest`.'),
  version: optional(list(integer(0, 100_000, 12), 'version', { max: 100 }), 'The versions in the address.'),
  service: optional(names('service'), 'The services.'),
  operation: optional(names('operation'), 'The operations.'),
  credential: optional(list(name, 'credential', { max: 1_000 }), 'The credentials, by id or username.'),
  except: optional(list(name, 'credential', { max: 2_000 }), 'The ids of credentials that it does not concern.'),
  deprecatedSince: required(text(40, '2026-12-01'), 'Since when: a day, or a moment.'),
  sunset: optional(text(40, '2027-06-30'), 'When the calls may end.'),
  refuseAfterSunset: optional(boolean(false), 'Whether they are refused after the sunset.'),
  link: optional(text(2_000, 'https://api.example.com/end-of-soap'), 'The page that says what to do instead.'),
  brownOuts: optional(
    list(
      object('BrownOut', {
        every: optional(
          text(20, 'tuesday'),
          'How often a window repeats: `day`, or a day of the week; absent for one window.',
        ),
        from: required(
          text(40, '2027-03-02T09:00:00Z'),
          'The moment; the time of the day, `09:00`, of a window that repeats.',
        ),
        to: required(text(40, '2027-03-02T09:15:00Z'), 'The moment, or the time of the day.'),
        timeZone: optional(text(60, 'Europe/London'), 'Of a window that repeats; UTC where it is absent.'),
      }),
      'brownOut',
      { max: 100 },
    ),
    'When they are refused.',
  ),
});

export const listDeprecations = reads(
  'listDeprecations',
  'GET /callers/deprecations',
  'Returns the deprecations of the configuration and those that were set while the gateway runs.',
  {},
  object('Deprecations', {
    deprecations: rows(
      'Deprecation',
      {
        id: required(name, 'Identifies the deprecation.'),
        source: required(text(2_000, 'triglyph.config.ts'), '`store`, or the configuration file that holds it.'),
        isStored: required(boolean(true), 'Whether it can be changed here.'),
        revision: optional(revision, 'For `seen`; absent for one of the configuration.'),
        changedAt: optional(moment, 'When it was set or changed.'),
        changedBy: optional(name, 'By whom.'),
        calls: required(longText, 'The calls, in words.'),
        rule: required(rule, 'Its members.'),
        written: required(text(20_000, '{"format":"soap11"}'), 'The rule as it was written, in JSON.'),
        state: required(
          oneOf('DeprecationState', 'scheduled', 'announced', 'brownOut', 'retired'),
          'What it means for its calls now: `brownOut` and `retired` refuse them.',
        ),
        until: optional(moment, 'The end of the brown-out.'),
        exemptions: rows(
          'Exemption',
          {
            credential: required(name, 'The id of the credential.'),
            username: optional(name, 'Its username.'),
            exemptedAt: optional(moment, 'When; absent for one of the configuration.'),
            exemptedBy: optional(name, 'Who; absent for one of the configuration.'),
          },
          'Credentials that are exempt.',
          2_000,
        ),
      },
      'Active deprecations.',
    ),
    invalid: rows(
      'InvalidDeprecation',
      {
        id: required(name, 'Identifies the deprecation.'),
        changedAt: required(moment, 'When it was set.'),
        changedBy: required(name, 'By whom.'),
        written: required(text(20_000, '{"format":"soap13"}'), 'The rule as it was written, in JSON.'),
        faults: values(longText, 'fault', 'Why it is not applied.', 100),
      },
      'Deprecations that this release cannot apply.',
    ),
    credentials: rows(
      'KnownCredential',
      {
        id: required(name, 'The id.'),
        username: optional(name, 'The username.'),
        tenant: required(name, 'The tenant.'),
      },
      'The credentials that are not revoked.',
      10_000,
    ),
  }),
);

const newRule = { rule: required(rule, 'The deprecation.') };

export const previewDeprecation = reads(
  'previewDeprecation',
  'POST /callers/preview',
  'Checks a deprecation, and returns which callers of the last 30 days it concerns. Changes nothing.',
  newRule,
  object('DeprecationPreview', {
    faults: values(longText, 'fault', 'What is wrong with it.'),
    credentials: required(count, 'How many credentials it concerns.'),
    requests: required(count, 'How many requests of the last 30 days, of the callers below.'),
    total: required(count, 'How many records it concerns.'),
    callers: rows(
      'ConcernedCaller',
      {
        id: required(name, 'The id of the record.'),
        ...useFields,
        client: required(name, 'How the client names itself.'),
        lastUsedAt: required(moment, 'The last request.'),
        requests: required(count, 'The requests of the last 30 days.'),
        isExempt: required(boolean(false), 'Whether the credential is exempt.'),
      },
      'The first records that it concerns, last used first.',
      200,
    ),
  }),
);

const seen = optional(revision, 'The revision that the change is based on.');
const changed = object('ChangedDeprecation', { id: required(name, 'The id of the deprecation.') });
const id = required(name, 'The id that `deprecations list` prints.', inPath);

export const addDeprecation = acts(
  'addDeprecation',
  'POST /callers/deprecations',
  'Sets a deprecation. Every serving process takes it over within two seconds.',
  newRule,
  changed,
  { audited: [], problems: [problems.invalidDeprecation, problems.tooManyDeprecations] },
);

export const replaceDeprecation = acts(
  'replaceDeprecation',
  'POST /callers/deprecations/{id}',
  'Replaces a deprecation that was set while the gateway runs. Its exemptions stay.',
  { id, ...newRule, seen },
  changed,
  {
    audited: ['id'],
    problems: [
      problems.invalidDeprecation,
      problems.deprecationNotFound,
      problems.deprecationChanged,
      problems.tooManyDeprecations,
    ],
  },
);

export const removeDeprecation = acts(
  'removeDeprecation',
  'POST /callers/deprecations/{id}/remove',
  'Removes a deprecation that was set while the gateway runs, with its exemptions.',
  { id, seen },
  changed,
  { audited: ['id'], problems: [problems.deprecationNotFound, problems.deprecationChanged] },
);

const exemption = {
  id: required(name, 'The id that `deprecations list` prints, also of the configuration.', inPath),
  credential: required(name, 'The id or the username of a credential.'),
};

export const exemptCaller = acts(
  'exemptCaller',
  'POST /callers/deprecations/{id}/exempt',
  'Exempts a credential from a deprecation: its calls are served, and say nothing.',
  exemption,
  changed,
  { audited: ['id', 'credential'], problems: [problems.deprecationNotFound, problems.tooManyDeprecations] },
);

export const endExemption = acts(
  'endExemption',
  'POST /callers/deprecations/{id}/endExemption',
  'Ends an exemption that was set while the gateway runs.',
  exemption,
  changed,
  { audited: ['id', 'credential'], problems: [problems.deprecationNotFound] },
);

export const deprecationOperations = [
  listDeprecations,
  previewDeprecation,
  addDeprecation,
  replaceDeprecation,
  removeDeprecation,
  exemptCaller,
  endExemption,
] as const;
