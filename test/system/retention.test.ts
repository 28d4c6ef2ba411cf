/** Tests that `triglyph retention show` prints the time of each kind of data that a setting bounds. */
import { afterAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

test('each setting of a time is shown', async () => {
  const { variables } = await prepareProduction(folder.path);
  const settings = {
    DISABLED_DETAIL_DAYS_MAX: '1',
    DETAIL_HISTORY_DAYS_MAX: '2',
    NOTIFICATION_DAYS_MAX: '0',
    ANNOUNCED_CHANGE_DAYS_MAX: '4',
    DEAD_LETTER_DAYS_MAX: '5',
    IMPORT_PROGRESS_DAYS_MAX: '6',
    CALLER_DAYS_MAX: '7',
    AUDIT_DAYS_MAX: '8',
  };
  const { stdout, code } = await triglyph(['retention', 'show'], folder.path, { ...variables, ...settings });
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ['deadLetter', '5 days'],
    ['importProgress', '6 days'],
    ['disabledDetail', '1 days'],
    ['shopperNotification', 'for ever'],
    ['detailHistory', '2 days'],
    ['announcedChange', '4 days'],
    ['callerRecord', '7 days'],
    ['auditEntry', '8 days'],
  ]);
});
