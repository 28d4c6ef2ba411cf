/** The requests of the clients: the call of a key with one of its bodies, and the content of its answer. */

import type { Operation } from '../../../src/core/contract/operation.ts';
import type { Call } from '../../../src/core/formats/protocol.ts';
import { type Format, findOperation, formatsOf, protocols } from '../../resources/operations.ts';
import type { FaultTrack, KeyUse } from '../../resources/resource.ts';
import { resources, testServices } from '../../resources/services.ts';

export const company = 'Acme';

export const tracks: readonly FaultTrack[] = resources.map(({ faultTrack }) => faultTrack);

/** `right`, or the name of a body that does not belong to the key. */
export type Body = string;

/** One key of one shopper. */
export interface UsedKey {
  readonly shopper: string;
  readonly key: string;
  /** The id in the answer to the first key of the shopper: the others are about it. */
  readonly id?: string | undefined;
}

const useByKey: ReadonlyMap<string, { readonly track: FaultTrack; readonly use: KeyUse }> = new Map(
  tracks.flatMap((track) => Object.entries(track.keys).map(([key, use]) => [key, { track, use }])),
);

const useOf = (key: string): KeyUse => useByKey.get(key)!.use;
const operationOf = (key: string): Operation => findOperation(useOf(key).operation).operation;
export const keysOf = ({ keys }: FaultTrack): readonly string[] => Object.keys(keys);
/** The credential of a service has its role. */
export const roles: readonly string[] = testServices.map(({ role }) => role);
const roleByKey = new Map(
  testServices.flatMap(({ role, resources }) =>
    resources.flatMap(({ faultTrack }) => Object.keys(faultTrack.keys).map((key) => [key, role] as const)),
  ),
);
export const roleOf = (key: string): string => roleByKey.get(key)!;
export const formatsOfKey = (key: string): readonly Format[] => formatsOf(operationOf(key));
export const tracksOf = (role: string): readonly FaultTrack[] =>
  tracks.filter((track) => keysOf(track).every((key) => roleOf(key) === role));
export const otherBodiesOf = (key: string): readonly Body[] =>
  Object.keys(useOf(key).bodies).filter((name) => name !== 'right');

export function encodeCall(format: Format, { shopper, key, id }: UsedKey, body: Body): Call {
  const { track, use } = useByKey.get(key)!;
  const { service, operation } = findOperation(use.operation);
  return protocols[format].encodeRequest(service, operation, { ...track.addressing(shopper, id), ...use.bodies[body] });
}

/** `errorCode` and its value; in SOAP the code after the type. */
const codePatterns = [/errorCode(?:"\s*:\s*"|=)(\w+)/, /(?:validation|security|internal) (\w+)/];

export function errorCodeOf(text: string): string | undefined {
  return codePatterns.map((pattern) => pattern.exec(text)?.[1]).find((code) => code !== undefined);
}

/** The canonical answer as JSON with sorted names; undefined where the text is no answer of the operation. */
export function canonicalAnswerOf(format: Format, key: string, text: string): string | undefined {
  try {
    const { value, issues } = protocols[format].decodeResponse(operationOf(key), text);
    if (issues.length > 0) return undefined;
    return JSON.stringify(Object.entries(value as object).sort(([one], [other]) => (one < other ? -1 : 1)));
  } catch {
    return undefined;
  }
}

/** The id in a canonical answer; undefined where it has none. */
export function idIn(canonical: string | undefined): string | undefined {
  return canonical === undefined ? undefined : Object.fromEntries(JSON.parse(canonical)).id;
}
