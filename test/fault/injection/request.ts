/** What the clients ask, on every track: the call of a key with one of its bodies, and what its answer says. */
import type { Role } from '../../../src/contract/operation.ts';
import type { Call, Protocol } from '../../../src/formats/protocol.ts';
import { accountHolderTrack } from './tracks/account-holder.ts';
import { balanceAccountTrack } from './tracks/balance-account.ts';
import { paymentInstrumentTrack } from './tracks/payment-instrument.ts';
import { recurringTrack } from './tracks/recurring.ts';
import type { KeyUse, Track } from './tracks/track.ts';

export const company = 'Acme';

const everyTrack = [recurringTrack, accountHolderTrack, balanceAccountTrack, paymentInstrumentTrack] as const;
export const tracks: readonly Track[] = Object.freeze(everyTrack);

type KeyOf<T> = T extends Track ? keyof T['keys'] : never;
export type KeyName = KeyOf<(typeof everyTrack)[number]>;

/** `right`, or the name of a body that the key does not belong to. */
export type Body = string;

/** One key of one shopper. */
export interface Used {
  readonly shopper: string;
  readonly key: KeyName;
  /** What the first key of the shopper was answered: the id that the others are about. */
  readonly made?: string | undefined;
}

export const tracksOf = (role: Role): readonly Track[] => tracks.filter((track) => track.role === role);
export const keysOf = ({ keys }: Track): readonly KeyName[] => Object.keys(keys) as readonly KeyName[];

/** No two tracks have a key of the same name. */
const trackByKey: ReadonlyMap<string, Track> = new Map(
  tracks.flatMap((track) => keysOf(track).map((key) => [key, track])),
);

export const trackOf = (key: KeyName): Track => trackByKey.get(key)!;

const useOf = (key: KeyName): KeyUse => trackOf(key).keys[key]!;

export const wrongBodiesOf = (key: KeyName): readonly Body[] =>
  Object.keys(useOf(key).bodies).filter((name) => name !== 'right');

export const callOf = (protocol: Protocol, { shopper, key, made }: Used, body: Body): Call => {
  const { service, about } = trackOf(key);
  const { operation, bodies } = useOf(key);
  return protocol.encodeRequest(service, operation, { ...about(shopper, made), ...bodies[body] });
};

/** `errorCode` and its value; in SOAP the code after the type. */
const codeForms = [/errorCode(?:"\s*:\s*"|=)(\w+)/, /(?:validation|security|internal) (\w+)/];

export const codeOf = (text: string): string | undefined =>
  codeForms.map((form) => form.exec(text)?.[1]).find((code) => code !== undefined);

/** The canonical answer as JSON, its names in their order; undefined where the text is no answer of the operation. */
export const canonicalOf = (protocol: Protocol, key: KeyName, text: string): string | undefined => {
  try {
    const { value, issues } = protocol.decodeResponse(useOf(key).operation, text);
    if (issues.length > 0) return undefined;
    return JSON.stringify(Object.entries(value as object).sort(([one], [other]) => (one < other ? -1 : 1)));
  } catch {
    return undefined;
  }
};

/** The id in a canonical answer; undefined where it has none. */
export const madeIn = (canonical: string | undefined): string | undefined =>
  canonical === undefined ? undefined : Object.fromEntries(JSON.parse(canonical)).id;
