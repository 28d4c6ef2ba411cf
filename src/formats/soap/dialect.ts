/** SOAP 1.1 and 1.2 as data: all that differs between them. */
import type { Problem } from '../../contract/problem.ts';
import type { ProtocolName } from '../protocol.ts';
import { statusOf } from '../status.ts';

export interface Dialect {
  readonly protocol: ProtocolName;
  readonly envelope: string;
  readonly mediaType: string;
  /** Of a header meant for whoever reads it first; absent means the same. */
  readonly roleAttribute: string;
  readonly nextRole: string;
  /** The prefix that answers use for the envelope. */
  readonly prefix: string;
  fault(problem: Problem, text: string): { readonly status: number; readonly body: string };
}

/** The two fault codes that SOAP itself rules; all others are the dialect's choice. */
const ruledCode = ({ problem }: Problem): string | undefined => {
  if (problem === 'mustUnderstand') return 'MustUnderstand';
  return problem === 'versionMismatch' ? 'VersionMismatch' : undefined;
};

export const soap11: Dialect = Object.freeze<Dialect>({
  protocol: 'soap11',
  envelope: 'http://schemas.xmlsoap.org/soap/envelope/',
  mediaType: 'text/xml',
  roleAttribute: 'actor',
  nextRole: 'http://schemas.xmlsoap.org/soap/actor/next',
  prefix: 'soap',
  fault(problem, text) {
    // Callers of this interface get soap:Server for their own mistakes too.
    const code = ruledCode(problem) ?? 'Server';
    return {
      status: statusOf(problem, 500),
      body: `<soap:Fault><faultcode>soap:${code}</faultcode><faultstring>${text}</faultstring></soap:Fault>`,
    };
  },
});

export const soap12: Dialect = Object.freeze<Dialect>({
  protocol: 'soap12',
  envelope: 'http://www.w3.org/2003/05/soap-envelope',
  mediaType: 'application/soap+xml',
  roleAttribute: 'role',
  nextRole: 'http://www.w3.org/2003/05/soap-envelope/role/next',
  prefix: 'env',
  fault(problem, text) {
    const status = statusOf(problem, problem.status < 500 ? 400 : 500);
    const code = ruledCode(problem) ?? (status < 500 ? 'Sender' : 'Receiver');
    return {
      status,
      body:
        `<env:Fault><env:Code><env:Value>env:${code}</env:Value></env:Code>` +
        `<env:Reason><env:Text xml:lang="en">${text}</env:Text></env:Reason></env:Fault>`,
    };
  },
});
