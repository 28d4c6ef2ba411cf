/** Shadows of upstreams: the differences of their answers, the shares that they get and answer, and the way back. */
import { boolean, integer, list, object, optional, required } from '../../core/contract/index.ts';
import {
  acts,
  count,
  inPath,
  inQuery,
  longText,
  moment,
  name,
  operatorProblems,
  reads,
  rows,
  text,
} from '../operation.ts';

const upstream = required(text(40, 'erp'), 'The name of the upstream in the configuration.');
const percent = integer(0, 100, 10);
const operation = optional(text(200, 'Orders.getOrder'), 'The operation; all where it is absent.');
const caller = optional(name, 'The id or the username of a credential; all callers where it is absent.');
const value = text(2_000, '"pending"');
const ofUpstream = { ...upstream, ...inPath };

export const listShadows = reads(
  'listShadows',
  'GET /shadow',
  'Returns the upstreams that have a shadow, with their shares.',
  {},
  object('Shadows', {
    shadows: rows(
      'Shadow',
      {
        upstream,
        url: required(text(2_000, 'https://new.example.com'), 'The address of the shadow.'),
        format: required(name, 'How it is asked.'),
        copied: required(percent, 'Percent of the requests that are copied, where no share says another number.'),
        copiesWrites: required(boolean(false), 'Whether requests that write are copied, too: the shadow is a sandbox.'),
        mayAnswer: required(boolean(true), 'Whether requests can be switched to it.'),
        differing: required(count, 'Kinds of differences that are not accepted.'),
        accepted: required(count, 'Kinds of differences that are accepted.'),
        shares: rows(
          'ShadowShare',
          {
            operation,
            caller: optional(name, 'The id of the credential; all callers where it is absent.'),
            copied: optional(percent, 'Percent of the requests that are copied.'),
            answered: optional(percent, 'Percent that the shadow answers.'),
            changedAt: required(moment, 'When it was set.'),
            changedBy: required(name, 'By whom.'),
          },
          'The shares that were set while servers run. The narrowest one counts.',
        ),
      },
      'The shadows.',
    ),
  }),
);

const shareFields = { upstream: ofUpstream, percent: required(percent, 'Percent, from 0 to 100.'), operation, caller };
const done = object('ShadowChanged', { upstream });

export const setShadowShare = acts(
  'setShadowShare',
  'POST /shadow/{upstream}/share',
  'Sets the share of the requests that are copied to a shadow. Servers follow within two seconds.',
  shareFields,
  done,
  { audited: ['upstream', 'percent', 'operation', 'caller'], problems: [operatorProblems.refusedAction] },
);

export const switchToShadow = acts(
  'switchToShadow',
  'POST /shadow/{upstream}/switch',
  'Sets the share of the requests that a shadow answers instead of its upstream. Servers follow within two seconds.',
  shareFields,
  object('SwitchedToShadow', {
    upstream,
    remaining: rows(
      'RemainingShare',
      {
        operation: optional(name, 'The operation; absent for all.'),
        caller: optional(name, 'The caller; absent for all.'),
        percent: required(percent, 'Of the requests.'),
      },
      'Other shares within this one, which still count for their operations and callers.',
      1_000,
    ),
  }),
  { audited: ['upstream', 'percent', 'operation', 'caller'], problems: [operatorProblems.refusedAction] },
);

export const switchBack = acts(
  'switchBack',
  'POST /shadow/{upstream}/back',
  'Lets an upstream answer everything again. Servers follow within two seconds.',
  { upstream: ofUpstream },
  object('SwitchedBack', { upstream, wasSwitched: required(boolean(true), 'Whether its shadow answered anything.') }),
  { audited: ['upstream'], problems: [operatorProblems.refusedAction] },
);

export const listShadowDifferences = reads(
  'listShadowDifferences',
  'GET /shadow/differences',
  'Returns the kinds of differences between the answers of upstreams and their shadows. Those that are not accepted come first.',
  { upstream: optional(text(40, 'erp'), 'Only those of this upstream.', inQuery) },
  object('ShadowDifferences', {
    differences: rows(
      'ShadowDifference',
      {
        id: required(name, 'Identifies the kind of difference.'),
        upstream,
        operation: required(name, 'The operation.'),
        kind: required(name, '`value`, `missing` at the shadow, `added` by it, `order` of a list, or `outcome`.'),
        path: required(longText, 'The path of the member.'),
        count: required(count, 'How many answers have it.'),
        firstAt: required(moment, 'Since when.'),
        lastAt: required(moment, 'When it was found last.'),
        callers: required(list(name, 'caller', { max: 20 }), 'The first callers that had it.'),
        at: optional(longText, 'The path in the last answer that has it.'),
        reference: optional(name, 'The reference of its request.'),
        current: optional(value, 'The value of the upstream in JSON, masked; absent where it has none.'),
        shadow: optional(value, 'The value of the shadow in JSON, masked; absent where it has none.'),
        reason: optional(longText, 'Why it may stay; absent for one that is not accepted.'),
        acceptedAt: optional(moment, 'Since when it is accepted.'),
        acceptedBy: optional(name, 'By whom.'),
      },
      'The kinds of differences.',
      100_000,
    ),
  }),
);

const id = { ...required(text(40, 'k3Jx0aQm2LwP9sTd'), 'The id that the list of differences has.'), ...inPath };

export const acceptShadowDifference = acts(
  'acceptShadowDifference',
  'POST /shadow/differences/{id}/accept',
  'Accepts a kind of difference: it counts as none from now on, and is listed with its reason.',
  { id, reason: required(text(500, 'The new server prints the name in full.'), 'Why it may stay.') },
  object('ShadowDifferenceAccepted', { id: required(name, 'Of the difference.') }),
  { audited: ['id', 'reason'], problems: [operatorProblems.refusedAction] },
);

export const reopenShadowDifference = acts(
  'reopenShadowDifference',
  'POST /shadow/differences/{id}/reopen',
  'Takes back the acceptance of a kind of difference.',
  { id },
  object('ShadowDifferenceReopened', { id: required(name, 'Of the difference.') }),
  { audited: ['id'], problems: [operatorProblems.refusedAction] },
);

export const shadowOperations = [
  listShadows,
  setShadowShare,
  switchToShadow,
  switchBack,
  listShadowDifferences,
  acceptShadowDifference,
  reopenShadowDifference,
] as const;
