/** CSV of the callers report: no text of a caller becomes a formula of a spreadsheet. */
import { expect, test } from '@jest/globals';
import { formatCsv } from '../../src/insight/callers/csv.ts';

const rowOf = (client: string): string | undefined => formatCsv([{ client }], ['client']).split('\r\n')[1];

test.each([
  ['curl/8; on a-b=c', 'curl/8; on a-b=c'],
  ['=1+1', "'=1+1"],
  ['curl;=1+1;', "curl;'=1+1;"],
  ['curl; @SUM(1)', "curl;' @SUM(1)"],
  ['a\t=1+1', "a\t'=1+1"],
])('%j is printed as %j', (client, printed) => {
  expect(rowOf(client)).toBe(printed);
});
