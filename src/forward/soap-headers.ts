/** Header blocks that the configuration of an upstream adds to requests in SOAP: fixed ones, ones from headers of HTTP, and WS-Addressing. */

import { randomUUID } from 'node:crypto';
import { type AnyRequest, printable } from '../core/contract/index.ts';
import { addressing as addressingUri, type UpstreamTraits } from '../core/formats/index.ts';
import { escapeXml } from '../core/xml/index.ts';
import { createSecurity, type SecurityOptions, type Token } from './ws-security.ts';

/** The content of a block: a text, the text of a header of the caller's request, a value of the session, or elements in the namespace of the block. */
export type BlockContent =
  | { readonly text: string }
  | { readonly header: string }
  | { readonly session: string }
  | { readonly elements: Readonly<Record<string, BlockContent>> };

/** A block by the name of its element. */
export interface ConfiguredBlock {
  readonly namespace: string;
  readonly name: string;
  readonly mustUnderstand: boolean;
  readonly content: BlockContent;
}

/** What requests in SOAP have beside their message. */
export interface SoapOptions {
  readonly blocks: readonly ConfiguredBlock[];
  /** WS-Addressing: To, Action, ReplyTo and MessageID. */
  readonly addressing: boolean;
  readonly security?: SecurityOptions | undefined;
}

/** What a request has beside its message. */
export interface BesideRequest {
  /** The UsernameToken of the request, where that is its credential. */
  readonly token?: Token | undefined;
  /** The values of the session, by name. */
  readonly session?: Readonly<Record<string, string>> | undefined;
}

/** What is known of a request beside its body. */
interface SoapRequest extends BesideRequest {
  readonly request: AnyRequest;
  readonly action: string;
}

/** What is added to one envelope. */
interface Completion {
  /** Those that the request has. */
  readonly blocks: readonly ConfiguredBlock[];
  /** Adds everything, and signs. `to`: the address that the request is sent to. */
  add(envelope: string, to: string): string;
}

/** Returns a function that prepares what is added to the envelope of a request. */
export function compileSoapHeaders(
  { blocks, addressing, security }: SoapOptions,
  { prefix, addBlocks }: NonNullable<UpstreamTraits['envelope']>,
): (request: SoapRequest) => Completion {
  const secure = security === undefined ? undefined : createSecurity(security, prefix);
  return (request) => {
    const printed = blocks.map((block) => ({ block, text: printBlock(block, prefix, request) }));
    return {
      blocks: printed.flatMap(({ block, text }) => (text === '' ? [] : [block])),
      add(envelope, to) {
        const addressed = addressing ? printAddressing(to, request.action, envelope.includes('<wsa:MessageID ')) : '';
        const own = printed.map(({ text }) => text).join('');
        const added = own + addressed + (secure?.block(request.token) ?? '');
        const text = added === '' ? envelope : addBlocks(envelope, added);
        return secure?.sign(text) ?? text;
      },
    };
  };
}

/** A block whose header of HTTP, or whose value of the session, is absent is left out as a whole. */
function printBlock(
  { namespace, name, mustUnderstand, content }: ConfiguredBlock,
  prefix: string,
  request: SoapRequest,
) {
  const text = printContent(content, request);
  if (text === undefined) return '';
  const must = mustUnderstand ? ` ${prefix}:mustUnderstand="1"` : '';
  return `<h:${name} xmlns:h="${escapeXml(namespace)}"${must}>${text}</h:${name}>`;
}

function printContent(content: BlockContent, soap: SoapRequest): string | undefined {
  if ('text' in content) return escapeXml(content.text);
  if ('header' in content) return printText(soap.request.head?.headers[content.header]);
  if ('session' in content) return printText(soap.session?.[content.session]);
  const parts = Object.entries(content.elements).map(([name, each]) => {
    const text = printContent(each, soap);
    return text === undefined ? undefined : `<h:${name}>${text}</h:${name}>`;
  });
  return parts.includes(undefined) ? undefined : parts.join('');
}

/** What XML has no character for would make the request unreadable. */
function printText(text: string | undefined): string | undefined {
  return text === undefined || !printable(text) ? undefined : escapeXml(text);
}

/** WS-Addressing 1.0: the answer comes on the connection. A message that waits for an answer has an identifier. */
function printAddressing(to: string, action: string, hasMessageId: boolean): string {
  const element = (name: string, text: string) => `<a:${name} xmlns:a="${addressingUri}">${text}</a:${name}>`;
  return [
    element('To', escapeXml(to)),
    element('Action', escapeXml(action)),
    element('ReplyTo', `<a:Address>${addressingUri}/anonymous</a:Address>`),
    hasMessageId ? '' : element('MessageID', `urn:uuid:${randomUUID()}`),
  ].join('');
}
