/** Exports the answers of Triglyph for every shopper, so that the peers answer the same. */
import { writeFileSync } from 'node:fs';
import { ask, reference, type Target } from '../targets.ts';
import type { Answers } from './answers.ts';

type Fields = Readonly<Record<string, unknown>>;

const atOnce = 16;

/** Writes `json` for peers in JavaScript, and `text` for others: a line for each value, its name and a tab before it. */
export async function exportAnswers(
  { triglyphJson, triglyphForm }: Readonly<Record<'triglyphJson' | 'triglyphForm', Target>>,
  shoppers: number,
  files: { readonly json: string; readonly text: string },
): Promise<void> {
  const json: Record<string, object> = {};
  const form: Record<string, string> = {};
  const text: string[] = [];
  const numbers = Array.from({ length: shoppers }, (_, index) => reference(index + 1)).values();
  const worker = async () => {
    for (const shopper of numbers) {
      const answer = await ask(triglyphJson, shopper);
      json[shopper] = JSON.parse(answer) as object;
      form[shopper] = await ask(triglyphForm, shopper);
      text.push(`answer\t${shopper}\n`, ...linesOf(triglyphJson.decode(answer) as Fields));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  writeFileSync(files.json, JSON.stringify({ json, form } satisfies Answers));
  writeFileSync(files.text, text.join(''));
}

/** The details come last: every line after `detail` belongs to one. */
function* linesOf({ details, ...answer }: Fields): Generator<string> {
  yield* fieldsOf(answer);
  for (const detail of details as readonly Fields[]) {
    yield 'detail\t\n';
    yield* fieldsOf(detail);
  }
}

/** A list repeats its name, and a member of a structure has the name of both, with a dot between them. */
function* fieldsOf(fields: Fields, prefix = ''): Generator<string> {
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) for (const item of value) yield `${prefix}${name}\t${item}\n`;
    else if (typeof value === 'object') yield* fieldsOf(value as Fields, `${prefix}${name}.`);
    else if (value !== undefined) yield `${prefix}${name}\t${value}\n`;
  }
}
