/** The attacks: what one address, or one credential, does to the neighbour. */
import { attackerListing, madeUpHost, manyAttributes, unknownMembers, withoutCredential } from './requests.ts';

interface Attack {
  readonly title: string;
  readonly connections: number;
  /** Absent for connections that send nothing. Each is sent when the one before is answered. */
  readonly request?: () => Buffer;
  readonly sendsOnce?: true;
  /** The neighbour opens a connection for each request. */
  readonly connectsAnew?: true;
}

/** For the control. Limits without a setting are taken out of the program (replaced-sources.ts). */
export const limitsOff: Readonly<Record<string, string>> = {
  CONNECTIONS_PER_ADDRESS_MAX: '0',
  UNAUTHENTICATED_PER_SECOND_MAX: '0',
  REQUESTS_PER_CREDENTIAL_MAX: '0',
  REQUEST_WAIT_MS_MAX: '0',
};

const pipelined = Buffer.concat(Array.from({ length: 200 }, () => withoutCredential));

const table = {
  unauthenticated: {
    title: '800 connections without a credential',
    connections: 800,
    request: () => withoutCredential,
  },
  members: {
    title: 'One credential, 64 connections, 57 KB with 4,000 unknown members each',
    connections: 64,
    request: () => unknownMembers,
  },
  attributes: {
    title: 'One credential, 64 connections, 6,500 attributes in a tag',
    connections: 64,
    request: () => manyAttributes,
  },
  flood: {
    title: 'One credential, 250 connections, listings',
    connections: 250,
    request: () => attackerListing,
  },
  idle: {
    title: '1,500 idle connections; the neighbour connects for each request',
    connections: 1_500,
    connectsAnew: true,
  },
  hosts: {
    title: '64 connections, documents at made-up hosts',
    connections: 64,
    request: madeUpHost,
  },
  pipelining: {
    title: '100 connections, 200 pipelined requests each',
    connections: 100,
    request: () => pipelined,
    sendsOnce: true,
  },
} as const satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof table;
export const attacks: Readonly<Record<AttackName, Attack>> = table;
export const attackNames = Object.keys(attacks) as readonly AttackName[];
