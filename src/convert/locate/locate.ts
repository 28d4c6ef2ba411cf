/** Finds the place of a member in the text of a message, in each format. */
import { isBound, type Operation } from '../../contract/operation.ts';
import type { Path } from '../../contract/path.ts';
import { type ProblemKind, problems } from '../../contract/problem.ts';
import { elementAround, type Service } from '../../contract/service.ts';
import type { ProtocolName } from '../../formats/index.ts';
import { locateInForm } from './locate-in-form.ts';
import { locateInJson } from './locate-in-json.ts';
import { locateInRest } from './locate-in-rest.ts';
import { locateInXml } from './locate-in-xml.ts';
import { compilePositions, type FoundPlace, type MessagePlace } from './place.ts';

/** A message that was read, and its text. */
export interface LocatedText {
  readonly text: string;
  /** Where the body starts in the text, behind a head. */
  readonly bodyStart: number;
  readonly format: ProtocolName;
  readonly service: Service;
  readonly operation: Operation;
  readonly side: 'input' | 'output';
}

/**
 * Returns the place of a member, or of what it belongs into where it is not there. Undefined for a text of another format. `kind`: of
 * the issue that is there.
 */
export type Locate = (path: Path, kind?: ProblemKind) => MessagePlace | undefined;

/** The text is examined at the first call. */
export function createLocator(message: LocatedText): Locate {
  let find: ((path: Path) => FoundPlace | undefined) | undefined;
  let positionOf: ReturnType<typeof compilePositions> | undefined;
  return (path, kind) => {
    find ??= compileSearch(message);
    const found = find(path);
    positionOf ??= compilePositions(message.text);
    const range = kind === problems.unknownField ? found?.name : found;
    return found && positionOf(range ?? found, found.isMissing);
  };
}

function compileSearch({ text, bodyStart, format, service, operation, side }: LocatedText) {
  const schema = operation[side];
  switch (format) {
    case 'soap11':
    case 'soap12': {
      const find = locateInXml(text, bodyStart, elementAround(service, side));
      return (path: Path) => find(path, schema);
    }
    case 'json': {
      const find = locateInJson(text, bodyStart);
      return (path: Path) => find(path, schema);
    }
    case 'form':
      return locateInForm(text, bodyStart, '');
    case 'adapter':
      return locateInForm(text, bodyStart, schema.name.charAt(0).toLowerCase() + schema.name.slice(1));
    case 'rest':
      return isBound(operation) ? locateInRest(text, bodyStart, operation, side) : () => undefined;
    default:
      return format satisfies never;
  }
}
