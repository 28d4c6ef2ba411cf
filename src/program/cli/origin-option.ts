/** The option `--origin`: the address of the service in what a command prints. */
import { InvalidArgumentError, Option } from 'commander';
import { originSetting as origin } from '../../config/index.ts';

export function originOption(doc: string): Option {
  return new Option('--origin <origin>', doc).argParser(parseOrigin);
}

/** The default of commands that need no configuration. */
export const localOrigin = 'http://127.0.0.1:8080';

function parseOrigin(text: string): string {
  const parsed = origin(text);
  if ('value' in parsed) return parsed.value;
  throw new InvalidArgumentError(`${parsed.hint[0]!.toUpperCase()}${parsed.hint.slice(1)}.`);
}
