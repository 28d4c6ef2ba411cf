/** The tables and findings of idempotency records. */
import { type Finding, limited, table } from '../results.ts';
import type { CleanUp, MeasuredRecords } from './records.ts';

const slowdownMax = 1.3;
/** A keyed write beside the clean-up: a step of the embedded store, which has one writer, and a margin. */
const besideMsMax = 250;
/** The clean-up must be so many times faster than a day's share expires. */
const speedMin = 20;
const daySeconds = 24 * 60 * 60;

export function recordTables({ sizes, requests, cleanUps }: MeasuredRecords): readonly string[] {
  return [
    table(
      ['store', 'idempotency records', 'bytes of a row', 'bytes of its index entries', 'all, MB'],
      sizes.map(({ engine, records, rowBytes, indexBytes }) => [
        engine,
        records,
        (rowBytes / records).toFixed(0),
        (indexBytes / records).toFixed(0),
        ((rowBytes + indexBytes) / 1024 / 1024).toFixed(0),
      ]),
    ),
    table(
      ['store', 'idempotency records', 'storeToken', 'median ms', 'CPU of the server and PostgreSQL, us'],
      requests.map(({ engine, records, request, median, cpuUs }) => [
        engine,
        records,
        request,
        median.toFixed(2),
        cpuUs.toFixed(0),
      ]),
    ),
    table(
      [
        'store',
        'idempotency records',
        'deleted',
        's',
        'writes meanwhile',
        'write alone: p50, p99, max ms',
        'beside: p50, p99, max ms',
      ],
      cleanUps.map(({ engine, records, deleted, seconds, claims, alone, beside }) => [
        engine,
        records,
        deleted,
        seconds.toFixed(1),
        claims,
        [alone.p50, alone.p99, alone.max].map((ms) => ms.toFixed(1)).join(', '),
        [beside.p50, beside.p99, beside.max].map((ms) => ms.toFixed(1)).join(', '),
      ]),
    ),
    table(
      [
        'store',
        'idempotency records',
        'indexes before, MB',
        'after the clean-up',
        'after as many new records',
        'vacuum, s',
      ],
      cleanUps.map(({ engine, records, indexBytes, vacuumSeconds }) => [
        engine,
        records,
        ...indexBytes.map((bytes) => (bytes / 1024 / 1024).toFixed(1)),
        vacuumSeconds?.toFixed(1) ?? '',
      ]),
    ),
  ];
}

export function recordFindings({ requests, cleanUps }: MeasuredRecords): readonly Finding[] {
  const slowdowns = [...Map.groupBy(requests, ({ engine, request }) => `storeToken, ${request}, on ${engine}, CPU`)];
  return [
    ...slowdowns.map(([name, [few, many]]) =>
      limited(`${name}, many against few`, many!.cpuUs / few!.cpuUs, 'at most', slowdownMax),
    ),
    ...cleanUps.flatMap(findingsOf),
  ];
}

function findingsOf({ engine, records, deleted, seconds, beside }: CleanUp): readonly Finding[] {
  const name = `Clean-up of ${deleted} of ${records} records on ${engine}, faster than a day's share expires`;
  return [
    limited(name, daySeconds / seconds, 'at least', speedMin, 'times'),
    limited('The longest write beside it', beside.max, 'at most', besideMsMax, 'ms'),
  ];
}
