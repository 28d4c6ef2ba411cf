/** What commands print: names and values of callers and servers move no terminal, and JSON stays the same value. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { explain } from '../../src/program/cli/command-error.ts';
import { print, printAll } from '../../src/program/cli/output.ts';

/** Clears the screen, sets the title, is one character of the same meaning, and turns the order of letters. */
const hostile = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\r';

const printed = (write: () => void): string => {
  const written: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  write();
  return written.join('');
};
afterEach(() => {
  jest.restoreAllMocks();
});

test('control characters are escaped, and lines stay lines', () => {
  const text = printed(() => printAll([`details[${hostile}]`, 'Änna <&>', 'two\nlines']));
  expect(text).toBe('details[\\u001b[2J\\u001b]0;title\\u0007\\u009b31m\\u202e\\u000d]\nÄnna <&>\ntwo\nlines\n');
});

test('JSON is the same value', () => {
  const value = { [hostile]: [hostile, '👩‍🚀', 1] };
  const text = printed(() => print(JSON.stringify(value, null, 2)));
  expect(JSON.parse(text)).toEqual(value);
  expect(text).not.toMatch(/[^\n\P{C}]/u);
});

test('messages of errors are escaped, with their causes', () => {
  const cause = new Error(`answers ${hostile}`);
  expect(explain(new Error(`no answer\n${hostile}`, { cause })).join('')).not.toMatch(/\p{C}/u);
});

test('control: without escapes they would reach the terminal', () => {
  const text = printed(() => process.stdout.write(hostile));
  expect(text).toMatch(/[^\n\P{C}]/u);
});
