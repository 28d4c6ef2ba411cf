/** Operations on the records of callers. */
import { operation } from '../../contract/operation.ts';
import { boolean, integer, list, object, oneOf, optional, required } from '../../contract/schema.ts';
import { languageNames } from '../../convert/call-source.ts';
import { roles } from '../roles.ts';
import { count, moment, text } from '../schemas.ts';
import { callerProblems } from './problems.ts';
import { name } from './rule-schema.ts';

const inQuery = { in: 'query' } as const;
const names = text(2_000, 'soap11,soap12');

const filter = {
  format: optional(names, 'Only these formats, with commas between them.', inQuery),
  service: optional(names, 'Only these services.', inQuery),
  operation: optional(names, 'Only these operations.', inQuery),
  version: optional(names, 'Only these versions of the address; `none`: addresses without one.', inQuery),
  credential: optional(
    names,
    'Only these credentials, by id or username; `none`: requests without a valid one.',
    inQuery,
  ),
  deprecation: optional(name, 'Only what this deprecation concerns, by its id; `any`: any of them.', inQuery),
  days: optional(
    integer(1, 400, 30),
    'Only what was used in so many days, with the counts of these days; 30 where it is absent.',
    inQuery,
  ),
};

/** What a record is about. */
export const useFields = {
  tenant: optional(name, 'The tenant; absent for requests without a valid credential.'),
  credential: optional(name, 'The id of the credential; absent for requests without a valid one.'),
  username: optional(name, 'Its username, if it has one.'),
  service: optional(name, 'The service, as far as the request got.'),
  operation: optional(name, 'The operation, as far as the request got.'),
  version: optional(integer(0, 100_000, 12), 'The version in the address.'),
  format: required(name, 'The wire format.'),
};

const caller = object('ListedCaller', {
  id: required(name, 'Identifies the record.'),
  ...useFields,
  client: required(name, 'How the client names itself.'),
  firstUsedAt: required(moment, 'The first request.'),
  lastUsedAt: required(moment, 'The last request.'),
  lastOutcome: required(name, '`ok`, or the name of the problem.'),
  succeeded: required(count, 'Requests that succeeded.'),
  refused: required(count, 'Requests that were refused by the caller’s fault.'),
  failed: required(count, 'Requests that failed by the gateway’s fault.'),
  switchedOff: required(count, 'Requests that a deprecation refused.'),
  exempt: required(count, 'Requests that an exemption allowed, whatever their outcome.'),
  trend: required(list(count, 'requests', { max: 400 }), 'The requests of each day, oldest first.'),
  deprecation: required(
    oneOf('DeprecationOfCaller', 'none', 'deprecated', 'exempt'),
    'What the deprecations say of it.',
  ),
  sunset: optional(name, 'The day of the sunset.'),
});

export const listCallers = operation({
  name: 'listCallers',
  http: { method: 'GET', path: '/callers' },
  doc: 'Returns who calls which operation, in which version and format, with which client; last used first.',
  effect: 'reads',
  role: roles.read,
  problems: [callerProblems.deprecationNotFound],
  input: object('ListCallers', {
    ...filter,
    max: optional(integer(1, 500, 100), 'The most records; 100 where it is absent.', inQuery),
  }),
  output: object('Callers', {
    isRecorded: required(boolean(true), 'Whether callers are recorded at all.'),
    total: required(count, 'How many records match.'),
    since: required(moment, 'The first day of the counts.'),
    formats: required(list(name, 'format', { max: 100 }), 'The formats of all records.'),
    services: required(list(name, 'service', { max: 1_000 }), 'Their services.'),
    operations: required(list(name, 'operation', { max: 1_000 }), 'Their operations.'),
    versions: required(list(name, 'version', { max: 1_000 }), 'Their versions; `none`: addresses without one.'),
    callers: required(list(caller, 'ListedCaller', { max: 500 }), 'The records.'),
  }),
});

export const exportCallers = operation({
  name: 'exportCallers',
  http: { method: 'GET', path: '/callers/export' },
  doc: 'Returns the records as CSV. A text that a spreadsheet would take for a formula begins with an apostrophe.',
  effect: 'reads',
  role: roles.read,
  problems: [callerProblems.deprecationNotFound],
  input: object('ExportCallers', filter),
  output: object('CallerExport', {
    fileName: required(name, 'A name for the file.'),
    csv: required(text(50_000_000, 'id,tenant\r\n'), 'The content.'),
  }),
});

export const getReplacementCall = operation({
  name: 'getReplacementCall',
  http: { method: 'GET', path: '/callers/{id}/replacement' },
  doc: 'Returns the last call of a caller as the JSON call that replaces it. Its secrets are masked.',
  effect: 'reads',
  role: roles.read,
  problems: [callerProblems.callerNotFound, callerProblems.noRequestStored, callerProblems.noLongerServed],
  input: object('GetReplacementCall', {
    id: required(name, 'The id of the record.', { in: 'path' }),
    as: optional(
      oneOf('ReplacementLanguage', 'json', ...languageNames),
      'The language of the call; `json` where it is absent.',
      inQuery,
    ),
  }),
  output: object('ReplacementCall', {
    text: required(text(200_000, '{"method":"POST"}'), 'The call.'),
    masked: required(list(text(1_000, 'card.number'), 'member', { max: 1_000 }), 'The members to be filled in.'),
  }),
});

const replacedBy = object('ReplacingUse', {
  format: required(name, 'The wire format.'),
  version: optional(integer(0, 100_000, 25), 'The version in the address.'),
});

const remaining = object('RemainingUse', {
  id: required(name, 'The id of the record.'),
  ...useFields,
  client: required(name, 'How the client names itself.'),
  lastUsedAt: required(moment, 'The last request.'),
  requests: required(count, 'The requests of these days.'),
  isExempt: required(boolean(false), 'Whether the credential is exempt.'),
  replacedBy: optional(replacedBy, 'How the credential also calls the operation, in a way that can stay.'),
});

export const assessReadiness = operation({
  name: 'assessReadiness',
  http: { method: 'GET', path: '/callers/readiness' },
  doc: 'Returns what still has to change before calls can be switched off, by credential.',
  effect: 'reads',
  role: roles.read,
  problems: [callerProblems.deprecationNotFound],
  input: object('AssessReadiness', {
    deprecation: optional(name, 'Which calls: those of this deprecation.', inQuery),
    format: optional(names, 'Which calls: those in these formats.', inQuery),
    version: optional(names, 'Which calls: those with these versions in the address.', inQuery),
    days: optional(
      integer(1, 400, 30),
      'A credential without such a call for so many days is ready; 30 where it is absent.',
      inQuery,
    ),
  }),
  output: object('Readiness', {
    callers: required(
      list(
        object('CallerReadiness', {
          tenant: optional(name, 'The tenant.'),
          credential: optional(name, 'The id of the credential; absent for requests without a valid one.'),
          username: optional(name, 'Its username.'),
          state: required(
            oneOf('ReadinessState', 'ready', 'moving', 'notBegun', 'exempt'),
            '`ready`: no such call in these days. `moving`: it also calls each operation in a way that can stay. `notBegun`: some in no other way.',
          ),
          lastUsedAt: required(moment, 'The last such call.'),
          remaining: required(list(remaining, 'RemainingUse', { max: 500 }), 'What remains to be changed.'),
        }),
        'CallerReadiness',
        { max: 1_000 },
      ),
      'Callers that have made such calls, the least ready first.',
    ),
  }),
});

export const recordOperations = [listCallers, exportCallers, getReplacementCall, assessReadiness] as const;
