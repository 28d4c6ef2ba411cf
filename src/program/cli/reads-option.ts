/** The options that say about the operations and fields of a document what it does not say. */
import { Option } from 'commander';

/** Names of operations, as `--reads` has them. */
export function readsOption(): Option {
  return new Option(
    '--reads <names>',
    'the operations that change nothing, like get*,list*; every other one writes: a retry with its key has no second effect',
  ).argParser(splitNames);
}

/** Fields that are sensitive beside those that the import finds: `pin`, or `Account.pin`. */
export function sensitiveOption(): Option {
  return new Option(
    '--sensitive <names>',
    'further fields that hold secrets, like pin,Account.number: they are masked and sealed as well',
  ).argParser(splitNames);
}

/** Fields that are not sensitive, whatever their names and the document say. */
export function notSensitiveOption(): Option {
  return new Option(
    '--not-sensitive <names>',
    'fields that hold no secret, like pageToken, although the import takes them for one',
  ).argParser(splitNames);
}

function splitNames(text: string): readonly string[] {
  return text.split(',').flatMap((each) => each.trim() || []);
}
