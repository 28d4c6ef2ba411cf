/** WS-Security of requests: reads a UsernameToken and a Timestamp, and refuses what is not verified here. */
import { type MessageSecurity, Problem, type UsernameToken } from '../../contract/index.ts';
import { attribute, type Element, isBlank } from '../../xml/index.ts';
import { securityProblem, wsse } from '../security-fault.ts';
import type { Dialect } from './dialect.ts';
import { isTrue } from './read.ts';

const oasis = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
const wsu = `${oasis}-wssecurity-utility-1.0.xsd`;
const passwordTypes = `${oasis}-username-token-profile-1.0#Password`;

/** Longer texts are no credential that could be right, and no nonce that a stack makes. */
const lengthsMax = { Username: 256, Password: 4_096, Nonce: 256, Created: 64, Expires: 64 } as const;

export function isSecurity({ namespace, local }: Element): boolean {
  return namespace === wsse && local === 'Security';
}

/**
 * Reads the security header among the blocks for this receiver. Throws a Problem for two of them, for two tokens, and for a part that
 * must be understood and is not: a signature is not verified.
 */
export function readSecurity(blocks: readonly Element[], dialect: Dialect): MessageSecurity | undefined {
  const [block, ...others] = blocks.filter(isSecurity);
  if (block === undefined) return undefined;
  if (others.length > 0) throw invalid('two security headers');
  const tokens = block.children.filter((each) => each.namespace === wsse && each.local === 'UsernameToken');
  const timestamps = block.children.filter((each) => each.namespace === wsu && each.local === 'Timestamp');
  const isAllKnown = tokens.length + timestamps.length === block.children.length;
  if (!isAllKnown && isTrue(attribute(block, dialect.envelope, 'mustUnderstand'))) throw new Problem('mustUnderstand');
  const [token, secondToken] = tokens;
  const [timestamp, secondTimestamp] = timestamps;
  if (secondToken !== undefined) throw invalid('two UsernameTokens');
  if (secondTimestamp !== undefined) throw invalid('two Timestamps');
  return {
    token: token && readToken(token),
    ...(timestamp && { created: textOf(timestamp, wsu, 'Created'), expires: textOf(timestamp, wsu, 'Expires') }),
  };
}

function readToken(token: Element): UsernameToken {
  const username = textOf(token, wsse, 'Username');
  const password = child(token, wsse, 'Password');
  const secret = textOf(token, wsse, 'Password');
  if (!username || password === undefined || !secret) throw invalid('a UsernameToken without a name or a password');
  const type = attribute(password, '', 'Type') ?? `${passwordTypes}Text`;
  if (type !== `${passwordTypes}Text` && type !== `${passwordTypes}Digest`)
    throw securityProblem('UnsupportedSecurityToken', 'the type of the password is not known');
  return {
    username,
    password: secret,
    isDigest: type === `${passwordTypes}Digest`,
    nonce: textOf(token, wsse, 'Nonce')?.trim(),
    created: textOf(token, wsu, 'Created')?.trim(),
  };
}

function child(element: Element, namespace: string, local: keyof typeof lengthsMax): Element | undefined {
  const [found, second] = element.children.filter((each) => each.namespace === namespace && each.local === local);
  if (second !== undefined) throw invalid(`two ${local}`);
  return found;
}

/** The text of the only child with the name. */
function textOf(element: Element, namespace: string, local: keyof typeof lengthsMax): string | undefined {
  const found = child(element, namespace, local);
  if (found === undefined) return undefined;
  const { text, children } = found;
  if (children.length > 0 || text.length > lengthsMax[local]) throw invalid(`${local} is no text of its kind`);
  return local === 'Password' || !isBlank(text) ? text : undefined;
}

function invalid(what: string): Problem {
  return securityProblem('InvalidSecurity', what);
}
