/** An edited request is the same in every format, also where a field is wrong: each format shows the issue where it is. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Draft, type DraftObject, isDraftObject } from '../../src/convert/draft/draft.ts';
import { draftOfValue } from '../../src/convert/draft/draft-of-value.ts';
import type { EditedText } from '../../src/convert/draft/edited-request.ts';
import { createMessageEditor } from '../../src/convert/draft/message-editor.ts';
import { dotted } from '../../src/core/contract/path.ts';
import type { Schema } from '../../src/core/contract/schema.ts';
import { arbitrary } from '../support/generate.ts';
import { type Property, type Subject, search } from './property.ts';
import { subjects } from './subjects.ts';

const editors = new Map<Subject['service'], ReturnType<typeof createMessageEditor>>();
const editorOf = ({ service }: Subject) => {
  const known = editors.get(service) ?? createMessageEditor([service]);
  editors.set(service, known);
  return known;
};

/** The scalars of a draft, with a function that returns the draft with another text there. */
const leaves = (draft: Draft, schema: Schema | undefined, put: (with_: Draft) => Draft): readonly Leaf[] => {
  if (typeof draft === 'string') return schema === undefined ? [] : [{ schema, put }];
  if (!isDraftObject(draft)) {
    const item = schema?.kind === 'list' ? schema.item : undefined;
    const items = draft as readonly Draft[];
    return items.flatMap((each, at) => leaves(each, item, (text) => put(items.with(at, text))));
  }
  return Object.entries(draft).flatMap(([name, each]) => {
    const below = schema?.kind === 'object' ? schema.fields[name]?.schema : undefined;
    return leaves(each, below, (text) => put({ ...draft, [name]: text }));
  });
};

interface Leaf {
  readonly schema: Schema;
  readonly put: (text: Draft) => Draft;
}

const wrongText = 'no <such> & "value"';

const issuesOf = ({ issues }: Pick<EditedText, 'issues'>) =>
  issues.map(({ path, kind }) => `${dotted(path)} ${kind.code}`).sort();

const broken = (draft: DraftObject, schema: Schema, which: number): DraftObject => {
  const all = leaves(draft, schema, (each) => each);
  if (all.length === 0) return { ...draft, unknown: wrongText };
  const { schema: leaf, put } = all[which % all.length]!;
  const text = leaf.kind === 'string' ? 'x'.repeat(5_000) : wrongText;
  return put(text) as DraftObject;
};

const allFormatsShowAlike: Property = (subject) => {
  const { service, operation } = subject;
  const editor = editorOf(subject);
  const values = fc.tuple(arbitrary(operation.input) as fc.Arbitrary<object>, fc.nat(), fc.boolean());
  return search(values, subject, ([input, which, isBroken]) => {
    const whole = draftOfValue(operation.input, input) as DraftObject;
    const request = editor.readDraft(service, operation, isBroken ? broken(whole, operation.input, which) : whole);
    if (!isBroken && request.issues.length > 0) return `a valid draft has issues: ${issuesOf(request)}`;
    if (isBroken && request.issues.length === 0) return `a broken draft has no issue: ${JSON.stringify(request.draft)}`;
    for (const { format, text, issues } of editor.write(request)) {
      const read = editor.readText({ message: text, from: format, service: service.name, operation: operation.name });
      if (!('draft' in read)) return `${format}: no request`;
      if (String(issuesOf(read)) !== String(issuesOf(request)))
        return `${format}: ${issuesOf(read)} instead of ${issuesOf(request)} in\n${text}`;
      if (
        !isBroken &&
        JSON.stringify(read.input) !== JSON.stringify(editor.readDraft(service, operation, read.draft).input)
      )
        return `${format}: the draft of\n${text}\nis another request`;
      const places = editor.placeIssues(read);
      if (
        JSON.stringify(places.map(({ place }) => place)) !== JSON.stringify(issues.map(({ place }) => place)) &&
        issues.length === 1
      )
        return `${format}: written and read places differ`;
      for (const { place } of issues) {
        if (place === undefined) return `${format}: an issue has no place in\n${text}`;
        const marked = text.slice(place.start, place.end);
        if (!place.isMissing && !/no.*such.*value|x{5000}|unknown/s.test(marked) && issues.length === 1)
          return `${format}: the issue is marked at ${marked} in\n${text}`;
      }
    }
    return undefined;
  });
};

describe.each(subjects)('$title', (subject) => {
  test('a draft has its issues in every format', () => {
    expect(allFormatsShowAlike({ ...subject, runs: Math.ceil(subject.runs / 10) })).toBeUndefined();
  });
});
