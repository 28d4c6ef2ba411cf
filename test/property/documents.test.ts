/** Requests and answers are valid against the derived documents, for every operation. */
import { describe, expect, test } from '@jest/globals';
import { messagesMatchDocuments } from './documents.ts';
import { subjects } from './subjects.ts';

describe.each(subjects)('$title', (subject) => {
  test('requests and answers are valid against the documents', () => {
    expect(messagesMatchDocuments(subject)).toBeUndefined();
  });
});
