/** The test API of the demo: its clock, its faults, its data, and the way back to the start. */
import {
  boolean,
  defineProblems,
  double,
  integer,
  kind,
  list,
  object,
  oneOf,
  optional,
  required,
} from '../../core/contract/index.ts';
import { acts, moment, reads, rows, text } from '../../operators/index.ts';

const name = text(200, 'placeOrder');
const names = list(name, 'name', { max: 10_000 });

export const testingProblems = defineProblems({
  notControllable: kind(
    422,
    '1201',
    'validation',
    'Only a small demo with an embedded store can be controlled, on its own machine',
  ),
  invalidControl: kind(422, '1202', 'validation', 'Invalid control'),
  tableNotFound: kind(422, '1203', 'validation', 'There is no such table of data'),
});

const faultFields = {
  operation: optional(name, 'Only requests of this operation.'),
  service: optional(name, 'Only requests of this service.'),
  format: optional(name, 'Only requests in this wire format.'),
  delayMs: optional(
    integer(0, 600_000, 500),
    'Waits before the request has its effect: another one with its key is in flight meanwhile.',
  ),
  drop: optional(oneOf('DropConnection', 'before', 'after'), 'Closes the connection, before or after the effect.'),
  answer: optional(name, 'Refuses with this problem instead of executing the request.'),
  malformed: optional(boolean(true), 'Executes the request, and cuts its answer in half.'),
  rate: optional(double(0.5), 'The share of the fitting requests that have the fault.'),
  always: optional(boolean(false), 'Whether every fitting request has the fault, until the faults are cleared.'),
  times: optional(integer(1, 1_000_000, 1), 'So many requests have the fault; the next one by default.'),
};

const state = object('TestState', {
  isDemo: required(boolean(true), 'Whether this is the demo, whose data can be browsed.'),
  isControllable: required(boolean(true), 'Whether the clock, the faults and the data can be controlled.'),
  now: required(moment, 'The time by the clock of the gateway.'),
  faults: required(
    list(object('PendingFault', faultFields), 'PendingFault', { max: 1_000 }),
    'Faults that can still happen.',
  ),
  operations: required(names, 'The operations that a fault can name.'),
  services: required(names, 'The services that a fault can name.'),
  formats: required(names, 'The wire formats that a fault can name.'),
  problems: required(names, 'The problems that a fault can answer with.'),
});

export const getTestState = reads(
  'getTestState',
  'GET /testing',
  'Returns the clock and the faults of the demo.',
  {},
  state,
);

export const resetTest = acts(
  'resetTest',
  'POST /testing/reset',
  'Returns the demo to the state after its start: data, clock, identifiers and faults.',
  {},
  state,
  { audited: [], problems: [testingProblems.notControllable] },
);

export const changeTestClock = acts(
  'changeTestClock',
  'POST /testing/clock',
  'Advances the clock of the demo, or stops it at a time.',
  {
    set: optional(moment, 'Stops the clock at this time.'),
    days: optional(integer(0, 1_000_000, 31), 'Advances the clock by so many days.'),
    hours: optional(integer(0, 1_000_000, 1), 'And by so many hours.'),
    minutes: optional(integer(0, 1_000_000, 5), 'And by so many minutes.'),
  },
  state,
  {
    audited: ['set', 'days', 'hours', 'minutes'],
    problems: [testingProblems.notControllable, testingProblems.invalidControl],
  },
);

export const addTestFault = acts(
  'addTestFault',
  'POST /testing/faults',
  'Lets the next requests that fit fail: late, without an answer, refused or with a broken answer.',
  faultFields,
  state,
  {
    audited: ['operation', 'service', 'format', 'delayMs', 'drop', 'answer', 'malformed', 'always', 'times'],
    problems: [testingProblems.notControllable, testingProblems.invalidControl],
  },
);

export const clearTestFaults = acts('clearTestFaults', 'POST /testing/faults/clear', 'Removes all faults.', {}, state, {
  audited: [],
  problems: [testingProblems.notControllable],
});

export const listTestTables = reads(
  'listTestTables',
  'GET /testing/tables',
  'Returns the tables of data that the demo can show. Empty outside of the demo.',
  {},
  object('TestTables', {
    tables: rows(
      'TestTable',
      {
        name: required(name, 'The name of the table.'),
        title: required(name, 'Its title.'),
        doc: required(text(1_000, 'The orders.'), 'What a row is.'),
        columns: required(names, 'The titles of its columns.'),
        needsParent: required(boolean(false), 'Whether its rows are shown for a row of another table only.'),
      },
      'The tables.',
      100,
    ),
  }),
);

export const listTestRows = reads(
  'listTestRows',
  'GET /testing/tables/{table}',
  'Returns rows of a table, with what is sensitive masked.',
  {
    table: required(name, 'The name of the table.', { in: 'path' }),
    parent: optional(text(2_000, 'a'), 'Only the rows below this row.', { in: 'query' }),
    after: optional(text(2_000, 'a'), 'Only the rows after this one: the next page.', { in: 'query' }),
  },
  object('TestRows', {
    rows: rows(
      'TestRow',
      {
        id: required(text(2_000, 'a'), 'Identifies the row in its table.'),
        cells: required(list(text(4_000, 'active'), 'cell', { max: 100 }), 'The values of the columns.'),
        below: rows(
          'RowsBelow',
          {
            table: required(name, 'The table of the rows below this one.'),
            parent: required(text(2_000, 'a'), 'What selects them.'),
            title: required(name, 'What they are.'),
          },
          'The rows of other tables that belong to it.',
          10,
        ),
      },
      'The rows.',
    ),
    next: optional(text(2_000, 'a'), 'Selects the next page, where there is one.'),
  }),
  [testingProblems.tableNotFound],
);

export const testingOperations = [
  getTestState,
  resetTest,
  changeTestClock,
  addTestFault,
  clearTestFaults,
  listTestTables,
  listTestRows,
] as const;
