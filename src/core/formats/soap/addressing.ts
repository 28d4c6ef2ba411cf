/** WS-Addressing of requests: refuses what an answer on the connection cannot satisfy, and prints what ties the answer to its request. */
import { describe, Problem } from '../../contract/index.ts';
import { type Element, escapeXml, serialize } from '../../xml/index.ts';
import { malformedBody } from '../malformed-body.ts';

/** The addresses that one version of WS-Addressing defines. */
interface Version {
  readonly uri: string;
  /** Of a receiver that waits on the connection. */
  readonly anonymous: string;
  /** Of messages that nobody waits for. */
  readonly none: string | undefined;
  /** The actions of faults: of WS-Addressing itself, and of SOAP. */
  readonly fault: string;
  readonly soapFault: string;
}

/** The namespace of WS-Addressing. */
export const addressing = 'http://www.w3.org/2005/08/addressing';
const submission = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';

const versions: ReadonlyMap<string, Version> = new Map(
  [
    {
      uri: addressing,
      anonymous: `${addressing}/anonymous`,
      none: `${addressing}/none`,
      fault: `${addressing}/fault`,
      soapFault: `${addressing}/soap/fault`,
    },
    {
      uri: submission,
      anonymous: `${submission}/role/anonymous`,
      none: undefined,
      fault: `${submission}/fault`,
      soapFault: `${submission}/fault`,
    },
  ].map((each) => [each.uri, each]),
);

/** The blocks that are understood. A request may have each of them once; `From` and `RelatesTo` require nothing. */
const single: ReadonlySet<string> = new Set(['To', 'Action', 'ReplyTo', 'FaultTo', 'MessageID']);
const understood: ReadonlySet<string> = new Set([...single, 'From', 'RelatesTo']);

/** What a request says of itself by WS-Addressing. */
export interface Addressed {
  readonly version: Version;
  readonly action: string;
  /** The identifier that the sender gave the message. */
  readonly messageId: string | undefined;
  /** That nobody waits for the answer. */
  readonly isReplyUnwanted: boolean;
  /** The blocks that the sender wants to find in the answer. */
  readonly replyParameters: readonly Element[];
  readonly faultParameters: readonly Element[];
}

export function understandsAddressing({ namespace, local }: Element): boolean {
  return versions.has(namespace) && understood.has(local);
}

/**
 * Reads the blocks that are for this receiver. Returns undefined where none names an action: such a request is not addressed, and may
 * have an identifier nevertheless.
 */
export function readAddressing(blocks: readonly Element[]): Addressed | undefined {
  const found = blocks.find((each) => versions.has(each.namespace) && each.local === 'Action');
  const version = versions.get(found?.namespace ?? '');
  if (version === undefined) return undefined;
  const block = (name: string) => blocks.find(({ namespace, local }) => namespace === version.uri && local === name);
  const textOf = (name: string) => block(name)?.text.trim() || undefined;
  const replyParameters = parametersOf(block('ReplyTo'));
  return {
    version,
    action: textOf('Action') ?? '',
    messageId: textOf('MessageID'),
    isReplyUnwanted: version.none !== undefined && addressOf(block('ReplyTo')) === version.none,
    replyParameters,
    faultParameters: block('FaultTo') === undefined ? replyParameters : parametersOf(block('FaultTo')),
  };
}

/** Throws a Problem for a block that occurs twice, and for an answer that is wanted elsewhere: it is sent on the connection only. */
export function checkAddressing(blocks: readonly Element[]): void {
  const seen = new Set<string>();
  for (const block of blocks) {
    const version = versions.get(block.namespace);
    if (version === undefined || !single.has(block.local)) continue;
    // An identifier may be the Idempotency-Key: there is one, of whatever version.
    const name = block.local === 'MessageID' ? block.local : `${block.namespace} ${block.local}`;
    if (seen.has(name))
      throw block.local === 'MessageID'
        ? malformedBody('two MessageIDs')
        : invalid(version.uri, `two ${block.local}`, 'InvalidCardinality');
    seen.add(name);
    if (block.local !== 'ReplyTo' && block.local !== 'FaultTo') continue;
    const address = addressOf(block);
    if (address === undefined || (address !== version.anonymous && address !== version.none))
      throw notAnonymous(version, block.local);
  }
}

/** The answer of an operation is never unwanted, unless the operation has none. */
export function refuseUnwantedReply({ version }: Addressed): never {
  throw notAnonymous(version, 'ReplyTo');
}

/** The blocks of an answer. `action`: of the operation's answer, or of a declared fault; absent for another fault. */
export function printReply(addressed: Addressed, action: string | undefined, problem: Problem | undefined): string {
  const { version, messageId, replyParameters, faultParameters } = addressed;
  const element = (name: string, text: string) => `<wsa:${name} xmlns:wsa="${version.uri}">${text}</wsa:${name}>`;
  const ownFault = problem?.faultCode?.namespace === version.uri ? version.fault : version.soapFault;
  return [
    element('Action', escapeXml(action ?? ownFault)),
    element('To', version.anonymous),
    messageId === undefined ? '' : element('RelatesTo', escapeXml(messageId)),
    ...(problem === undefined ? replyParameters : faultParameters).map((each) => printParameter(each, version)),
  ].join('');
}

function addressOf(endpoint: Element | undefined): string | undefined {
  return endpoint?.children.find(({ local }) => local === 'Address')?.text.trim();
}

function parametersOf(endpoint: Element | undefined): readonly Element[] {
  return (endpoint?.children ?? [])
    .filter(
      ({ namespace, local }) => namespace === endpoint?.namespace && /^Reference(?:Parameters|Properties)$/.test(local),
    )
    .flatMap(({ children }) => children);
}

/** A block of the caller in the answer to the same caller. */
function printParameter(block: Element, { uri }: Version): string {
  const mark = { namespace: uri, local: 'IsReferenceParameter', value: 'true' };
  const attributes = block.attributes.filter(({ namespace }) => !/\/soap(?:\/|-)envelope\/?$/.test(namespace));
  return serialize({ ...block, attributes: uri === addressing ? [...attributes, mark] : attributes });
}

function notAnonymous({ uri }: Version, name: string): Problem {
  return invalid(
    uri,
    `${name} is not anonymous, and answers are sent on the connection only`,
    'OnlyAnonymousAddressSupported',
  );
}

function invalid(namespace: string, text: string, code: string): Problem {
  const codes = namespace === addressing ? ['InvalidAddressingHeader', code] : ['InvalidMessageInformationHeader'];
  return new Problem('undecodable', describe('undecodable', text), {
    reason: 'addressing',
    faultCode: { namespace, codes },
  });
}
