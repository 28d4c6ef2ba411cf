/** The options of `triglyph credential` that limit a credential: roles, expiry, networks and certificates. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { contractsOf } from '../../backend/compose-services.ts';
import { gatewayRoles } from '../../contract/roles.ts';
import { clock } from '../../lib/clock.ts';
import { parseNetworks } from '../../lib/networks.ts';
import { projectServices } from '../project.ts';

export interface LimitOptions {
  readonly role?: readonly string[];
  readonly readOnly?: boolean;
  readonly expires?: number;
  readonly from?: readonly string[];
  readonly certificate?: readonly string[];
}

/** `doc`: what the roles do. */
export function roleOption(doc: string): Option {
  const all = contractsOf(projectServices()).flatMap((each) => each.roles);
  const roles = [...new Set([...all, ...Object.keys(gatewayRoles)])];
  return new Option('--role <role>', `${doc}: ${roles.join(', ')}`).argParser<readonly string[]>((role, given = []) => {
    if (!roles.includes(role)) throw new InvalidArgumentError(`Allowed choices are ${roles.join(', ')}.`);
    return [...given, role];
  });
}

/** The value of an option that removes a limit. The library takes null for an option without a value. */
export const removed = Symbol('removed');
export type Removal = typeof removed;

/** `isEdit`: a word may remove the limit. */
export function createLimitOptions(isEdit = false): readonly Option[] {
  const orElse = (word: string): string => (isEdit ? `; ${word} removes the limit` : '');
  const addTo =
    (word: string, parse: (text: string) => string) => (text: string, given?: readonly string[] | Removal) =>
      isEdit && text === word ? removed : [...(Array.isArray(given) ? given : []), parse(text)];
  return [
    new Option(
      '--expires <time>',
      `when it expires: a day (2027-06-30), a time (2027-06-30T12:00:00Z) or a number of days (90d)${orElse('never')}`,
    ).argParser<number | Removal>((text) => (isEdit && text === 'never' ? removed : parseExpiry(text, clock.now()))),
    new Option(
      '--from <network>',
      `an IP address or a network like 192.0.2.0/24 that it is accepted from; repeat it for more${orElse('any')}`,
    ).argParser(addTo('any', parseNetwork)),
    new Option(
      '--certificate <certificate>',
      `a client certificate that it requires, as a PEM file or its SHA-256 fingerprint; repeat it for more${orElse('none')}`,
    ).argParser(addTo('none', parseCertificate)),
  ];
}

const dayMs = 86_400_000;

/** Returns milliseconds since the epoch. A day begins at midnight UTC. */
function parseExpiry(text: string, now: number): number {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  const isTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const time = days === undefined ? (isTime ? Date.parse(text) : Number.NaN) : now + Number(days) * dayMs;
  if (Number.isNaN(time)) throw new InvalidArgumentError('Give a day, a time with its zone, or days like 90d.');
  if (time <= now) throw new InvalidArgumentError('This is not in the future.');
  return time;
}

function parseNetwork(text: string): string {
  if (/[\s,]/.test(text) || parseNetworks(text)?.any !== true)
    throw new InvalidArgumentError('Give an IP address or a network like 192.0.2.0/24.');
  return text;
}

/** Returns the SHA-256 fingerprint in lower case. */
function parseCertificate(text: string): string {
  const fingerprint = text.replaceAll(':', '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(fingerprint)) return fingerprint;
  try {
    return fingerprintOf(readFileSync(text));
  } catch {
    throw new InvalidArgumentError('Give a file with a certificate in PEM, or its SHA-256 fingerprint.');
  }
}

function fingerprintOf(certificate: Buffer): string {
  return new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase();
}
