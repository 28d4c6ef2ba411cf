/** `triglyph shadow`: the differences between upstreams and their shadows, and how much a shadow gets and answers. Servers need no restart. */
import type { Command } from 'commander';
import type { Output } from '../../core/contract/index.ts';
import { formatMinute, isoTime } from '../../core/lib/index.ts';
import {
  acceptShadowDifference,
  listShadowDifferences,
  listShadows,
  reopenShadowDifference,
  setShadowShare,
  switchBack,
  switchToShadow,
} from '../../operators/index.ts';
import { addOperation, formatTable, type Given } from './operator-command.ts';

type Known = Output<typeof listShadows>['shadows'][number];
type Difference = Output<typeof listShadowDifferences>['differences'][number];

export function add(program: Command): void {
  const shadow = program
    .command('shadow')
    .description(
      'compares upstreams with the servers that replace them, and moves callers; servers follow within two seconds',
    );
  addOperation(shadow, 'list', listShadows, {
    doc: 'lists the upstreams that have a shadow, with their shares',
    example: 'triglyph shadow list',
    json: ({ shadows }) => shadows,
    text: ({ shadows }) => (shadows.length === 0 ? ['No upstream has a shadow.'] : shadows.flatMap(linesOfShadow)),
  });
  addOperation(shadow, 'share', setShadowShare, {
    ...percentOperands,
    doc: 'sets how many percent of the requests are copied to a shadow',
    example: 'triglyph shadow share erp 10 --operation Orders.getOrder',
    text: (_, { upstream, percent, operation, caller }) => [
      `${percent} % of ${what(operation, caller)} are copied to the shadow of ${upstream}.`,
    ],
  });
  addOperation(shadow, 'switch', switchToShadow, {
    ...percentOperands,
    doc: 'sets how many percent a shadow answers instead of its upstream',
    example: 'triglyph shadow switch erp 1',
    text: ({ remaining }, { upstream, percent, operation, caller }) => [
      `The shadow of ${upstream} answers ${percent} % of ${what(operation, caller)}${remaining.length === 0 ? '.' : ', apart from these earlier shares, which remain:'}`,
      ...remaining.map((each) => `  ${each.percent} % of ${what(each.operation, each.caller)}`),
    ],
  });
  addOperation(shadow, 'back', switchBack, {
    doc: 'lets an upstream answer everything again',
    operands: { upstream: 'upstream' },
    example: 'triglyph shadow back erp',
    text: ({ upstream, wasSwitched }) => [
      wasSwitched ? `${upstream} answers everything again.` : `Nothing was switched: ${upstream} answers everything.`,
    ],
  });
  addOperation(shadow, 'differences', listShadowDifferences, {
    doc: 'lists the kinds of differences; ends with 1 while one is not accepted',
    flags: { upstream: '--upstream <name>' },
    example: 'triglyph shadow differences --upstream erp',
    json: ({ differences }) => differences.map(describe),
    text: ({ differences }) =>
      differences.length === 0 ? ['No answers differ.'] : differences.flatMap(linesOfDifference),
    failed: ({ differences }) => differences.some(({ reason }) => reason === undefined),
  });
  addOperation(shadow, 'accept', acceptShadowDifference, {
    doc: 'accepts a kind of difference',
    operands: { id: 'id' },
    example: 'triglyph shadow accept k3Jx0aQm2LwP9sTd --reason "The new server prints the name in full."',
    text: ({ id }) => [`${id} is accepted.`],
  });
  addOperation(shadow, 'reopen', reopenShadowDifference, {
    doc: 'takes back the acceptance of a kind of difference',
    operands: { id: 'id' },
    example: 'triglyph shadow reopen k3Jx0aQm2LwP9sTd',
    text: ({ id }) => [`${id} counts again.`],
  });
  shadow.addHelpText('after', '\nExample:\n  triglyph shadow list');
}

const percentOperands = {
  operands: { upstream: 'upstream', percent: 'percent' },
  input: ({ percent, ...given }: Given) => ({ ...given, percent: Number(percent) }),
} as const;

function what(operation: string | undefined, caller: string | undefined): string {
  return `${operation === undefined ? 'the requests' : `the requests for ${operation}`} of ${caller ?? 'all callers'}`;
}

function linesOfShadow({ upstream, url, format, copied, copiesWrites, differing, accepted, shares }: Known) {
  const writes = copiesWrites ? 'reads and writes' : 'reads';
  return [
    `${upstream}  ${url} (${format}): copies ${copied} % of the ${writes}; ${differing} kinds of differences, ${accepted} accepted`,
    ...(shares.length === 0
      ? []
      : formatTable(shares, {
          OPERATION: ({ operation = 'all' }) => operation,
          CALLER: ({ caller = 'all' }) => caller,
          COPIED: ({ copied: own }) => (own === undefined ? '-' : `${own} %`),
          ANSWERED: ({ answered }) => (answered === undefined ? '-' : `${answered} %`),
          CHANGED: ({ changedAt, changedBy }) => `${formatMinute(changedAt)} by ${changedBy}`,
        }).map((line) => `  ${line}`)),
  ];
}

function linesOfDifference({ id, operation, path, kind, count, firstAt, callers, ...rest }: Difference) {
  const { at = path, current = 'absent', shadow = 'absent', reason, acceptedBy } = rest;
  const who = `${callers.length} ${callers.length === 1 ? 'caller' : 'callers'} since ${formatMinute(firstAt)}`;
  return [
    `${id}  ${operation} ${path} (${kind}): ${count} times, ${who}`,
    `  ${at}: ${current} now, ${shadow} at the shadow`,
    ...(reason === undefined ? [] : [`  accepted by ${acceptedBy}: ${reason}`]),
  ];
}

function describe({ firstAt, lastAt, acceptedAt, ...difference }: Difference): object {
  return {
    ...difference,
    ...{ firstAt: isoTime(firstAt), lastAt: isoTime(lastAt) },
    ...(acceptedAt !== undefined && { acceptedAt: isoTime(acceptedAt) }),
  };
}
