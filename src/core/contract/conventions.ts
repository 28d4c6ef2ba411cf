/** Wire conventions: what all services of a server have in common in responses. */

/** What all services of a server have in common in responses. */
export interface Conventions {
  /** The name of a request's reference: of the response header, and of the member of JSON and FORM errors. */
  readonly requestReference: string;
  /** The name of the tenant in log lines. */
  readonly tenant: string;
  /** The time zone of date and time in messages: `Europe/London`. In `UTC` they end with `Z`. */
  readonly timeZone: string;
  /** The URL before the type of every problem in problem details. */
  readonly problemTypes: string;
  /** In problem details, a problem without a code of its own has this text and its status as its code. */
  readonly statusCodePrefix: string;
  /** The headers in which libraries of callers name themselves, and their versions; in small letters. */
  readonly libraryHeaders?: readonly (readonly [name: string, version: string])[];
  /** `plain`: errors in JSON have a status, a code, a message and a type. By default they are problem details (RFC 9457). */
  readonly errors?: 'plain';
  /** `absent`: JSON answers leave out lists without items. By default they are `[]`. */
  readonly emptyLists?: 'absent';
  /** `absent`: JSON and FORM leave out fractions of seconds. By default a time that has one keeps its milliseconds. */
  readonly fractions?: 'absent';
}

/** Returns what the services declare, or neutral conventions if none declares any. Throws if two declare different ones. */
export function conventionsOf(services: readonly { readonly conventions?: Conventions }[]): Conventions {
  const declared = new Map(services.flatMap(({ conventions: each }) => (each ? [[JSON.stringify(each), each]] : [])));
  if (declared.size > 1) throw new TypeError('the services of a server declare different conventions');
  return [...declared.values()][0] ?? neutralConventions;
}

/** Returns what the messages of a service follow, whatever others of its server declare. */
export function conventionsOfMessages({
  conventions = neutralConventions,
}: {
  readonly conventions?: Conventions;
}): Conventions {
  return conventions;
}

/** Those of a service that declares none. */
export const neutralConventions: Conventions = Object.freeze({
  requestReference: 'requestReference',
  tenant: 'tenant',
  timeZone: 'UTC',
  problemTypes: 'urn:problem:',
  statusCodePrefix: '',
});
