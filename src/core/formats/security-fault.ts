/** Refusals by WS-Security: of a security header, or of the credential in it. */
import { Problem } from '../contract/index.ts';

/** The namespace of the security header, and of the codes of its faults. */
export const wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';

/** The faults of WS-Security, section 12. */
type SecurityFault = 'UnsupportedSecurityToken' | 'InvalidSecurity' | 'FailedAuthentication' | 'MessageExpired';

/** What the caller reads. It is the same for an unknown name and a wrong password. */
const texts: Readonly<Record<SecurityFault, string>> = {
  UnsupportedSecurityToken: 'Security token not supported',
  InvalidSecurity: 'Error in the security header',
  FailedAuthentication: 'The security token could not be authenticated',
  MessageExpired: 'The message has expired',
};

/** `what`: added to the text. `reason`: for operators, by default the code. */
export function securityProblem(
  code: SecurityFault,
  what?: string,
  { reason = code, nameHash }: { readonly reason?: string | undefined; readonly nameHash?: string | undefined } = {},
): Problem {
  const text = what === undefined ? texts[code] : `${texts[code]}: ${what}`;
  return new Problem('unauthorized', text, { reason, nameHash, faultCode: { namespace: wsse, codes: [code] } });
}
