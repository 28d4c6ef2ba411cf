/** What the clients ask, on every track: the call of a key with one of its bodies, and what its answer says. */
import type { Call, Protocol } from '../../src/protocol/protocol.ts';
import { platformTrack } from './platform-track.ts';
import { recurringTrack } from './recurring-track.ts';
import type { KeyUse, Track } from './track.ts';

export const company = 'Acme';

export const tracks = Object.freeze({ recurring: recurringTrack, platform: platformTrack });
export type TrackName = keyof typeof tracks;
export const trackNames = Object.keys(tracks) as readonly TrackName[];

export type KeyName = { [T in TrackName]: keyof (typeof tracks)[T]['keys'] }[TrackName];

/** `right`, or the name of a body that the key does not belong to. */
export type Body = string;

/** One key of one shopper. */
export interface Used {
  readonly shopper: string;
  readonly key: KeyName;
  /** What the first key of the shopper was answered: the id that the others are about. */
  readonly made?: string | undefined;
}

export const keysOf = (track: TrackName): readonly KeyName[] => Object.keys(tracks[track].keys) as readonly KeyName[];

/** No two tracks have a key of the same name. */
const trackNameByKey: ReadonlyMap<string, TrackName> = new Map(
  trackNames.flatMap((name) => keysOf(name).map((key) => [key, name])),
);

export const trackNameOf = (key: KeyName): TrackName => trackNameByKey.get(key)!;
export const trackOf = (key: KeyName): Track => tracks[trackNameOf(key)];

const useOf = (key: KeyName): KeyUse => trackOf(key).keys[key]!;

export const wrongBodiesOf = (key: KeyName): readonly Body[] =>
  Object.keys(useOf(key).bodies).filter((name) => name !== 'right');

export const callOf = (protocol: Protocol, { shopper, key, made }: Used, body: Body): Call => {
  const { service, about } = trackOf(key);
  const { operation, bodies } = useOf(key);
  return protocol.ask(service, operation, { ...about(shopper, made), ...bodies[body] });
};

/** `errorCode` and its value; in SOAP the code after the type. */
const codeForms = [/errorCode(?:"\s*:\s*"|=)(\w+)/, /(?:validation|security|internal) (\w+)/];

export const codeOf = (text: string): string | undefined =>
  codeForms.map((form) => form.exec(text)?.[1]).find((code) => code !== undefined);

/** The canonical answer as JSON, its names in their order; undefined where the text is no answer of the operation. */
export const canonicalOf = (protocol: Protocol, key: KeyName, text: string): string | undefined => {
  try {
    const { value, issues } = protocol.hear(useOf(key).operation, text);
    if (issues.length > 0) return undefined;
    return JSON.stringify(Object.entries(value as object).sort(([one], [other]) => (one < other ? -1 : 1)));
  } catch {
    return undefined;
  }
};

/** The id in a canonical answer; undefined where it has none. */
export const madeIn = (canonical: string | undefined): string | undefined =>
  canonical === undefined ? undefined : Object.fromEntries(JSON.parse(canonical)).id;
