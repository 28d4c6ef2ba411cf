/** The policy in a WSDL that says which credential a message may have (WS-SecurityPolicy 1.2). */
import { type Tag, tag } from './xml-document.ts';

/** The identifier of the policy in its document. */
const id = 'UsernameToken';
const sp = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';

/** The namespaces that the tags of the policy need. */
export const tokenNamespaces: Readonly<Record<string, string>> = Object.freeze({
  'xmlns:wsp': 'http://schemas.xmlsoap.org/ws/2004/09/policy',
  'xmlns:sp': sp,
  'xmlns:wsu': 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
});

/** A UsernameToken with its password as text. It is optional: the headers of HTTP may have the credential instead. */
export function usernameTokenPolicy(): Tag {
  const token = tag(
    'sp:UsernameToken',
    { 'sp:IncludeToken': `${sp}/IncludeToken/AlwaysToRecipient` },
    tag('wsp:Policy', {}, tag('sp:WssUsernameToken10')),
  );
  const tokens = tag('sp:SupportingTokens', { 'wsp:Optional': 'true' }, tag('wsp:Policy', {}, token));
  return tag('wsp:Policy', { 'wsu:Id': id }, tokens);
}

/** In a binding. */
export function policyReference(): Tag {
  return tag('wsp:PolicyReference', { URI: `#${id}` });
}
