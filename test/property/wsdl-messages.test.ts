/** Random valid messages of WSDLs come back from their contracts unchanged, through JSON and through FORM. */
import { expect, test } from '@jest/globals';
import { type Alter, roundTrips } from '../../scripts/wsdl-messages/round-trip.ts';
import { corpusOf, ownDocument, ownDocuments } from '../support/corpus.ts';
import { isNightly } from '../support/nightly.ts';
import { seed } from '../support/seed.ts';
import { failure } from './property.ts';

const letters = ownDocument('letters.wsdl');
const files = [...ownDocuments('wsdl'), ...corpusOf('wsdl-small')];
const messagesEach = isNightly ? 40 : 4;

/**
 * What a contract does not carry, as docs/import-wsdl.md says: too many types in place of one, attributes of nil elements, entries without a
 * key, and types of keys and values in maps of texts.
 */
const documented =
  /^kept beside|nil with attributes|attribute lost: .*@\{\}id$|not a map|^attribute value: \S+\/(?:entry|item)\/(?:key|value)\/@\{\S+\}type: \S+(?<!QName) became xsd:string$/;

const changesIn = async (file: string, messagesEach: number, alter?: Alter): Promise<readonly string[]> => {
  const { changed, crash } = await roundTrips(file, { seed, messagesEach, ...(alter && { alter }) });
  expect(crash).toBeUndefined();
  return changed
    .filter(({ text }) => !documented.test(text))
    .map(({ operation, side, through, text, sent }) => failure(`${operation} ${side} ${through}: ${text}\n${sent}`));
};

test('messages of every document are unchanged', async () => {
  for (const file of files) expect([file, await changesIn(file, messagesEach)]).toEqual([file, []]);
});

/** Codecs that lose one thing each. */
const losses: Readonly<Record<string, Alter>> = {
  'the order of elements': (body) => body.replace(/,"order":\[[^\]]*\]/g, '').replace(/&[\w.]*\border\.\d+=\w+/g, ''),
  'text between elements': (body) => body.replace(/"text":\["text [^"]*"/g, '"text":["other"'),
  'the namespaces of names': (body) => body.replace(/"\{urn:named\}/g, '"'),
  'nil items': (body) => body.replace(/,null\b/g, ''),
  'the type of a whole message': (body) => body.replace(/"xsiType":"Signed",|,"Signature":"[^"]*"/g, ''),
};

test.each(Object.entries(losses))('a control: a codec that loses %s is found', async (_, alter) => {
  expect((await changesIn(letters, 60, alter)).length).toBeGreaterThan(0);
});
