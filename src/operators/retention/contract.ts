/** How long data is stored, and the destruction of what is over. */
import { boolean, integer, object, optional, required } from '../../core/contract/index.ts';
import { acts, count, operatorProblems, reads, rows, text } from '../operation.ts';

const subject = required(text(200, 'disabledDetail'), 'The kind of data.');

export const showRetention = reads(
  'showRetention',
  'GET /retention',
  'Returns for each kind of data how long it is stored.',
  {},
  object('Retention', {
    rules: rows(
      'RetentionRule',
      { subject, days: optional(integer(0, 1_000_000, 30), 'The days; absent for data that is stored for ever.') },
      'The kinds of data.',
    ),
  }),
);

export const applyRetention = acts(
  'applyRetention',
  'POST /retention/apply',
  'Destroys now what is over, in steps beside traffic; servers do it every few minutes.',
  {
    acceptClock: optional(
      boolean(true),
      'Destroys though the clock is days away from the last time that a server has recorded.',
    ),
  },
  object('AppliedRetention', {
    destroyed: rows('DestroyedData', { subject, rows: required(count, 'How many rows.') }, 'What was destroyed.'),
  }),
  { audited: ['acceptClock'], problems: [operatorProblems.refusedAction] },
);

export const retentionOperations = [showRetention, applyRetention] as const;
