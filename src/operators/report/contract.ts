/** The report of a migration: who still calls how, who answers for it, what breaks when calls end, and what comparisons found. */
import { boolean, integer, object, oneOf, optional, required } from '../../core/contract/index.ts';
import { callerProblems, formats, name, names, useFields } from '../callers/contract.ts';
import { acts, count, inPath, inQuery, moment, operatorProblems, reads, rows, text, values } from '../operation.ts';

const problems = [operatorProblems.refusedAction];
/** Texts of owners may be in any language. */
const ownerText = text(200, 'Anna Example');
const credential =
  'The id or the username of the credential; for one that another server knows, what `callers` prints.';

const ownerFields = {
  name: required(ownerText, 'Who answers for the credential: a person or a team.'),
  address: required(text(200, 'anna@example.com'), 'Where the owner is reached.'),
};

export const listCallerOwners = reads(
  'listCallerOwners',
  'GET /callers/owners',
  'Returns who answers for credentials.',
  {},
  object('CallerOwners', {
    owners: rows(
      'CallerOwner',
      {
        credential: required(name, 'The id of the credential.'),
        username: optional(name, 'Its username.'),
        ...ownerFields,
        setAt: required(moment, 'When the owner was set.'),
        setBy: required(name, 'By whom.'),
      },
      'The owners, sorted by credential.',
      100_000,
    ),
  }),
);

const ownerOf = object('OwnedCredential', { credential: required(name, 'The id of the credential.') });

export const setCallerOwner = acts(
  'setCallerOwner',
  'POST /callers/owners/{credential}',
  'Sets who answers for a credential.',
  { credential: required(name, credential, inPath), ...ownerFields },
  ownerOf,
  { audited: ['credential'], problems },
);

export const removeCallerOwner = acts(
  'removeCallerOwner',
  'POST /callers/owners/{credential}/remove',
  'Removes the owner of a credential.',
  { credential: required(name, credential, inPath) },
  ownerOf,
  { audited: ['credential'], problems },
);

const difference = {
  operation: required(name, 'The operation.'),
  path: required(text(1_000, 'details[].aliasType'), 'The member.'),
  kind: required(name, 'How the answers differ.'),
  count: required(count, 'How many answers differ so.'),
  callers: required(count, 'Of how many callers, as far as they were counted.'),
  firstAt: required(moment, 'The first of these requests.'),
  lastAt: required(moment, 'The last one.'),
  accepted: optional(text(1_000, 'The new server does not know it.'), 'Why the difference may stay.'),
};

const comparisonFields = {
  compared: required(count, 'How many answers were compared.'),
  different: required(count, 'How many differ in what is not accepted.'),
  unanswered: required(count, 'How many requests had no answer.'),
  unsent: required(count, 'How many recorded requests were not sent.'),
  differences: rows('ComparedDifference', difference, 'The kinds of differences.'),
};

export const saveComparison = acts(
  'saveComparison',
  'POST /callers/comparisons/{name}',
  'Saves what a replay has found for the report, without values of requests and answers. One of the same name is replaced.',
  { name: required(text(100, 'new-server'), 'A name for the comparison.', inPath), ...comparisonFields },
  object('SavedComparison', { name: required(name, 'The name.') }),
  { audited: ['name'], problems },
);

const target = {
  deprecation: optional(name, 'Which calls end: those of this deprecation.', inQuery),
  format: optional(formats, 'Which calls end: those in these formats; `soap11,soap12` by default.', inQuery),
  version: optional(names, 'Which calls end: those with these versions in the address.', inQuery),
  weeks: optional(integer(1, 53, 12), 'Of how many weeks; 12 where it is absent.', inQuery),
};

const risk = oneOf('Risk', 'none', 'low', 'medium', 'high');
const reasons = values(text(500, 'nobody is named as its owner'), 'reason', 'Why.', 20);
const weekly = values(count, 'requests', 'The requests of each week.', 60);

const report = object('MigrationReport', {
  createdAt: required(moment, 'When the report was made.'),
  since: required(moment, 'The first day of the counts.'),
  ends: required(text(1_000, 'format soap11, soap12'), 'Which calls end.'),
  sunset: optional(name, 'The day of their end, where a deprecation has one.'),
  lacks: values(text(500, 'callers: CALLER_RECORDS is off'), 'part', 'What the report lacks, and why.', 20),
  risk: required(risk, 'The risk, if these calls ended today.'),
  reasons,
  totals: required(
    object('ReportTotals', {
      credentials: required(count, 'Credentials that called.'),
      concerned: required(count, 'Credentials that made calls that end.'),
      ready: required(count, 'Of these, those that made none in the last four weeks.'),
      moving: required(count, 'Those that also call each operation in a way that can stay.'),
      notBegun: required(count, 'Those that call some operation in no other way.'),
      exempt: required(count, 'Those that are exempt.'),
      withoutOwner: required(count, 'Credentials that called and have no owner.'),
      requests: required(count, 'The requests of these weeks, without noise.'),
      ending: required(count, 'Of these, the requests that end.'),
      open: required(count, 'Kinds of differences that are not accepted.'),
      accepted: required(count, 'Kinds of differences that are accepted.'),
    }),
    'The numbers of the report.',
  ),
  weeks: values(text(10, '2026-11-23'), 'week', 'The Mondays of the weeks, in UTC.', 60),
  formats: rows(
    'ReportedFormat',
    {
      format: required(name, 'The wire format.'),
      credentials: required(count, 'The credentials that used it.'),
      requests: required(count, 'The requests of all weeks.'),
      weekly,
    },
    'The requests by format and week.',
    100,
  ),
  callers: rows(
    'ReportedCaller',
    {
      credential: required(name, 'The id of the credential.'),
      username: optional(name, 'Its username.'),
      tenant: optional(name, 'Its tenant.'),
      owner: optional(ownerText, 'Who answers for it.'),
      address: optional(ownerText, 'Where the owner is reached.'),
      state: required(
        oneOf('MigrationState', 'notBegun', 'moving', 'exempt', 'ready', 'notConcerned'),
        'As `callers readiness` has it; `notConcerned`: it made no call that ends.',
      ),
      formats: values(name, 'format', 'The formats of its calls.', 20),
      requests: required(count, 'Its requests.'),
      ending: required(count, 'Its requests that end.'),
      weekly,
      lastUsedAt: required(moment, 'Its last request.'),
      lastEndingAt: optional(moment, 'Its last request that ends.'),
      risk: required(risk, 'The risk, if these calls ended today.'),
      reasons,
    },
    'The credentials, those with the highest risk first.',
    20_000,
  ),
  breaks: rows(
    'BreakingUse',
    {
      id: required(name, 'The id of the record, for `callers show`.'),
      ...useFields,
      owner: optional(ownerText, 'Who answers for the credential.'),
      client: required(name, 'How the client names itself.'),
      requests: required(count, 'The requests of the last four weeks.'),
      lastUsedAt: required(moment, 'The last one.'),
      hasReplacement: required(
        boolean(false),
        'Whether the credential also calls the operation in a way that can stay.',
      ),
    },
    'What breaks if these calls ended today.',
    20_000,
  ),
  comparisons: rows(
    'ReportedComparison',
    {
      name: required(name, 'The name of the comparison.'),
      savedAt: required(moment, 'When it was saved.'),
      savedBy: required(name, 'By whom.'),
      ...comparisonFields,
    },
    'What replays of recordings found, the last one first.',
  ),
  shadows: rows(
    'ReportedShadow',
    {
      upstream: required(name, 'The upstream.'),
      differences: rows('ComparedDifference', difference, 'The kinds of differences.'),
    },
    'What the shadows of upstreams answered differently.',
  ),
  noise: rows(
    'ReportedNoise',
    {
      kind: required(
        oneOf('NoiseKind', 'noCredential', 'noOperation', 'console', 'uncounted'),
        '`noCredential`: no valid credential, such as scanners. `noOperation`: the address or the operation does not exist, such as typing errors. `console`: the explorer of the console. `uncounted`: beyond the limits of the records.',
      ),
      format: required(name, 'The wire format.'),
      client: required(name, 'How the client names itself.'),
      requests: required(count, 'The requests.'),
      lastUsedAt: required(moment, 'The last one.'),
    },
    'Requests that are no callers’ use, in none of the other numbers.',
    20_000,
  ),
});

export const getMigrationReport = reads(
  'getMigrationReport',
  'GET /callers/report',
  'Returns what a migration has reached: who still makes calls that end, what is ready, and what would break.',
  target,
  report,
  [callerProblems.deprecationNotFound, operatorProblems.refusedAction],
);

export const exportMigrationReport = reads(
  'exportMigrationReport',
  'GET /callers/report/export',
  'Returns the report as a page that needs nothing else, as CSV with a row for each credential, or as JSON.',
  { ...target, as: optional(oneOf('ReportFormat', 'html', 'csv', 'json'), '`html` where it is absent.', inQuery) },
  object('ReportExport', {
    fileName: required(name, 'A name for the file.'),
    content: required(text(50_000_000, '<!doctype html>'), 'The content.'),
  }),
  [callerProblems.deprecationNotFound, operatorProblems.refusedAction],
);

export const reportOperations = [
  listCallerOwners,
  setCallerOwner,
  removeCallerOwner,
  saveComparison,
  getMigrationReport,
  exportMigrationReport,
] as const;
