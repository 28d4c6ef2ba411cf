/** The records of callers: who calls which operation, in which version and format, with which client. */

import { languageNames } from '../../convert/index.ts';
import {
  boolean,
  defineProblems,
  integer,
  kind,
  object,
  oneOf,
  optional,
  required,
} from '../../core/contract/index.ts';
import { protocolNames } from '../../core/formats/index.ts';
import { count, inPath, inQuery, moment, operatorProblems, reads, rows, text, values } from '../operation.ts';

/** What the operations on callers and deprecations refuse. */
export const callerProblems = defineProblems({
  callerNotFound: kind(422, '1301', 'validation', 'No caller has this id'),
  noRequestStored: kind(422, '1302', 'validation', 'The caller has sent no request that could be read and stored'),
  noLongerServed: kind(422, '1303', 'validation', 'The operation is no longer served'),
  invalidDeprecation: kind(422, '1304', 'validation', 'The deprecation has faults'),
  deprecationNotFound: kind(422, '1305', 'validation', 'No deprecation, credential or exemption has this id'),
  deprecationChanged: kind(422, '1306', 'validation', 'The deprecation was changed meanwhile'),
  tooManyDeprecations: kind(422, '1307', 'validation', 'The store holds no more deprecations or exemptions'),
});

export const name = text(200, 'Orders');
export const names = text(2_000, 'soap11,soap12');
/** `other`: what exceeds the limit of records. `none`: requests whose format is not known. */
const format = `(${[...protocolNames, 'other', 'none'].join('|')})`;
export const formats = { ...names, pattern: ` *${format}( *, *${format})* *` };

const filter = {
  format: optional(formats, 'Only these formats, with commas between them.', inQuery),
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
  since: optional(
    text(40, '2026-12-01'),
    'Instead of days: only what was used since then, with the counts since then: 2026-12-01, or 30d.',
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

export const listCallers = reads(
  'listCallers',
  'GET /callers',
  'Returns who calls which operation, in which version and format, with which client; last used first.',
  {
    ...filter,
    max: optional(integer(1, 1_000_000, 100), 'The most records; 100 where it is absent.', inQuery),
    noise: optional(
      boolean(false),
      'Whether scanners, typing errors and the requests of the console are records, too; true where it is absent.',
      inQuery,
    ),
  },
  object('Callers', {
    isRecorded: required(boolean(true), 'Whether callers are recorded at all.'),
    total: required(count, 'How many records match.'),
    since: required(moment, 'The first day of the counts.'),
    formats: values(name, 'format', 'The formats of all records.', 100),
    services: values(name, 'service', 'Their services.'),
    operations: values(name, 'operation', 'Their operations.'),
    versions: values(name, 'version', 'Their versions; `none`: addresses without one.'),
    callers: rows(
      'ListedCaller',
      {
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
        trend: values(count, 'requests', 'The requests of each day, oldest first; of 400 days at most.', 400),
        deprecation: required(
          oneOf('DeprecationOfCaller', 'none', 'deprecated', 'exempt'),
          'What the deprecations say of it.',
        ),
        sunset: optional(name, 'The day of the sunset.'),
      },
      'The records.',
      1_000_000,
    ),
  }),
  [callerProblems.deprecationNotFound, operatorProblems.refusedAction],
);

const content = text(50_000_000, 'id,tenant\r\n');

export const exportCallers = reads(
  'exportCallers',
  'GET /callers/export',
  'Returns the records as CSV, or as JSON. In CSV, a text that a spreadsheet would take for a formula begins with an apostrophe.',
  { ...filter, as: optional(oneOf('ExportFormat', 'csv', 'json'), 'The format; `csv` where it is absent.', inQuery) },
  object('CallerExport', {
    fileName: required(name, 'A name for the file.'),
    csv: optional(content, 'The content, in CSV.'),
    json: optional(content, 'The content, in JSON.'),
  }),
  [callerProblems.deprecationNotFound, operatorProblems.refusedAction],
);

export const getReplacementCall = reads(
  'getReplacementCall',
  'GET /callers/{id}/replacement',
  'Returns the last call of a caller as the JSON call that replaces it. Its secrets are masked.',
  {
    id: required(name, 'The id that `callers` prints.', inPath),
    as: optional(
      oneOf('ReplacementLanguage', 'json', ...languageNames),
      'The language of the call; `json` where it is absent.',
      inQuery,
    ),
    origin: optional(
      { ...text(300, 'https://api.example.com'), pattern: 'https?://[^ /?#]+/?' },
      'The address of the service; by default PUBLIC_URL.',
      inQuery,
    ),
  },
  object('ReplacementCall', {
    text: required(text(200_000, '{"method":"POST"}'), 'The call.'),
    masked: values(text(1_000, 'order.number'), 'member', 'The members to be filled in.'),
  }),
  [callerProblems.callerNotFound, callerProblems.noRequestStored, callerProblems.noLongerServed],
);

const replacedBy = object('ReplacingUse', {
  format: required(name, 'The wire format.'),
  version: optional(integer(0, 100_000, 25), 'The version in the address.'),
});

export const assessReadiness = reads(
  'assessReadiness',
  'GET /callers/readiness',
  'Returns what still has to change before calls can be switched off, by credential.',
  {
    deprecation: optional(name, 'Which calls: those of this deprecation.', inQuery),
    format: optional(formats, 'Which calls: those in these formats.', inQuery),
    version: optional(names, 'Which calls: those with these versions in the address.', inQuery),
    days: optional(
      integer(1, 400, 30),
      'A credential without such a call for so many days is ready; 30 where it is absent.',
      inQuery,
    ),
  },
  object('Readiness', {
    callers: rows(
      'CallerReadiness',
      {
        tenant: optional(name, 'The tenant.'),
        credential: optional(name, 'The id of the credential; absent for requests without a valid one.'),
        username: optional(name, 'Its username.'),
        state: required(
          oneOf('ReadinessState', 'ready', 'moving', 'notBegun', 'exempt'),
          '`ready`: no such call in these days. `moving`: it also calls each operation in a way that can stay. `notBegun`: some in no other way.',
        ),
        lastUsedAt: required(moment, 'The last such call.'),
        remaining: rows(
          'RemainingUse',
          {
            id: required(name, 'The id of the record.'),
            ...useFields,
            client: required(name, 'How the client names itself.'),
            lastUsedAt: required(moment, 'The last request.'),
            requests: required(count, 'The requests of these days.'),
            isExempt: required(boolean(false), 'Whether the credential is exempt.'),
            replacedBy: optional(replacedBy, 'How the credential also calls the operation, in a way that can stay.'),
          },
          'What remains to be changed.',
          500,
        ),
      },
      'Callers that have made such calls, the least ready first.',
    ),
  }),
  [callerProblems.deprecationNotFound],
);

export const callerOperations = [listCallers, exportCallers, getReplacementCall, assessReadiness] as const;
