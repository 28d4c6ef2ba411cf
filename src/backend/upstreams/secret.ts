/** Reads a secret from where a configuration says that it is. */
import { readFileSync } from 'node:fs';
import type { VariableSources } from '../../config/index.ts';
import { describeSystemError } from '../../core/lib/index.ts';
import type { MemberReader } from './members.ts';

export interface FoundSecret {
  readonly text: string;
  /** `ERP_KEY, environment`; never the secret. */
  readonly source: string;
  /** Whether it is in the configuration itself. */
  readonly isInClear: boolean;
}

const sources = ['env', 'file', 'inClear'] as const;

/** Reads the member `name`, a `SecretSource`. Reports what is wrong with it, and returns undefined. */
export function readSecret(reader: MemberReader, name: string, variables: VariableSources): FoundSecret | undefined {
  if (typeof reader.value(name) === 'string') {
    reader.fault(name, 'is a text: name its place, { env: ... } or { file: ... }, or give { inClear: ... }');
    return undefined;
  }
  const place = reader.object(name);
  place.allow(...sources);
  const given = sources.filter((each) => place.has(each));
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    reader.fault(name, 'needs one of env, file and inClear');
    return undefined;
  }
  const text = place.text(kind, { hint: 'is not a text, or it is empty' });
  return text === undefined ? undefined : find(kind, text, place, variables);
}

function find(
  kind: (typeof sources)[number],
  text: string,
  place: MemberReader,
  variables: VariableSources,
): FoundSecret | undefined {
  switch (kind) {
    case 'inClear':
      return { text, source: 'in clear in the configuration', isInClear: true };
    case 'env': {
      const found = variables.find(text);
      if (found === undefined) place.fault(kind, `names ${text}, which is not set`);
      return found && { text: found.text, source: `${text}, ${found.source}`, isInClear: false };
    }
    case 'file': {
      const content = readText(text, kind, place);
      if (content?.trim() === '') place.fault(kind, `names ${text}, which is empty`);
      return content?.trim() ? { text: content.trim(), source: text, isInClear: false } : undefined;
    }
    default:
      return kind satisfies never;
  }
}

/** Returns the content of a file that the member `name` names. Reports one that cannot be read. */
function readText(file: string, name: string, reader: MemberReader): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    reader.fault(name, `names ${file}: ${describeSystemError(thrown) ?? 'it cannot be read'}`);
    return undefined;
  }
}

/** Returns the content of a file in PEM. Reports one that is none. */
export function readPem(reader: MemberReader, name: string): string | undefined {
  const file = reader.text(name);
  const content = file === undefined ? undefined : readText(file, name, reader);
  if (content !== undefined && !content.includes('-----BEGIN ')) reader.fault(name, `names ${file}, which is not PEM`);
  return content;
}
