/** The option that names the operations of a document that change nothing. */
import { Option } from 'commander';

/** Names of operations, as `--reads` has them. */
export function readsOption(): Option {
  return new Option(
    '--reads <names>',
    'the operations that change nothing, like get*,list*; every other one writes: a retry with its key has no second effect',
  ).argParser((text) => text.split(',').flatMap((each) => each.trim() || []));
}
