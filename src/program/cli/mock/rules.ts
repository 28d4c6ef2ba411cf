/** Reads the recorded answers of `triglyph mock`: one JSON file, or those of a folder. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMembers, type Members } from '../../../core/lib/index.ts';
import type { MockRules } from '../../testing/mock/mock.ts';
import type { RecordedAnswer } from '../../testing/mock/recorded-answers.ts';
import type { ResourceRule } from '../../testing/mock/resources.ts';
import { CommandError } from '../command-error.ts';

/** Files of a folder count in the order of their names. Throws CommandError for a file that is no JSON of this form. */
export function readRules(path: string): MockRules {
  const files = filesOf(path).map((file) => ({ file, content: readMembers(file) }));
  const resources = files.flatMap(({ file, content }) => Object.entries(resourcesOf(file, content)));
  const isStated = files.some(({ content }) => content.resources !== undefined);
  return {
    answers: files.flatMap(({ file, content }) => answersOf(file, content)),
    ...(isStated && { resources: Object.fromEntries(resources) }),
  };
}

function filesOf(path: string): readonly string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path).filter((name) => name.endsWith('.json'));
    return names.sort().map((name) => join(path, name));
  } catch (thrown) {
    throw new CommandError([`--answers ${path} cannot be read: ${String(thrown)}`]);
  }
}

function readMembers(file: string): Members {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    throw new CommandError([`${file}: ${thrown instanceof Error ? thrown.message : String(thrown)}`]);
  }
  const unknown = isMembers(value) ? Object.keys(value).find((name) => name !== 'answers' && name !== 'resources') : '';
  if (!isMembers(value) || unknown !== undefined)
    throw new CommandError([
      `${file}: give an object with answers, resources or both${unknown && `, not ${unknown}`}.`,
    ]);
  return value;
}

/** `createMocks` checks the names and the values. */
function answersOf(file: string, { answers = [] }: Members): readonly RecordedAnswer[] {
  const isAnswer = (each: unknown): each is RecordedAnswer =>
    isMembers(each) &&
    typeof each.operation === 'string' &&
    (each.service === undefined || typeof each.service === 'string') &&
    (each.problem === undefined || typeof each.problem === 'string') &&
    [each.when, each.output, each.fault].every((part) => part === undefined || isMembers(part));
  if (Array.isArray(answers) && answers.every(isAnswer)) return answers;
  throw new CommandError([
    `${file}: answers is a list of objects with operation, and output or problem; when, output and fault are objects.`,
  ]);
}

function resourcesOf(file: string, { resources = {} }: Members): Readonly<Record<string, ResourceRule>> {
  const isNames = (each: unknown): boolean =>
    typeof each === 'string' || (Array.isArray(each) && each.every((name) => typeof name === 'string'));
  const isRules = (each: unknown): each is Readonly<Record<string, ResourceRule>> =>
    isMembers(each) && Object.values(each).every((rule) => isMembers(rule) && Object.values(rule).every(isNames));
  if (isRules(resources)) return resources;
  throw new CommandError([`${file}: resources has objects, whose members are names or lists of names.`]);
}
