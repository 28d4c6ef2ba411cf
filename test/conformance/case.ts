/** What a conformance case states: one outcome, and the wire text of every protocol, written by hand. */

import type { NamedProtocol } from '../../src/core/formats/wire-formats.ts';
import type { RecurringOperations } from '../../src/payments/recurring/contract.ts';
import type { callers } from '../support/fixture.ts';
import type { ProblemName } from '../support/problems.ts';

export interface Exchange {
  readonly sends: string;
  /** The whole answer, to the byte. */
  readonly answers: string;
  /** 200 where it is left out. */
  readonly status?: number;
  /** The header of that name; none where it is left out. */
  readonly invalidFields?: string | undefined;
  /** The content type of the answer, where it is another one than that of its format. */
  readonly type?: string;
}

/** `Name`: an operation. `Refusal`: a problem. `As`: a caller. `Stored`: what the service has stored afterwards. */
export interface ServiceCase<
  Name extends string = string,
  Refusal extends string = string,
  As extends string = string,
  Stored = unknown,
> {
  readonly title: string;
  readonly operation: Name;
  readonly as?: As;
  /** The canonical answer; or the problem, with the dotted names of the fields that are wrong. */
  readonly outcome: { readonly gives: unknown } | { readonly refuses: Refusal; readonly fields?: readonly string[] };
  /** What is stored afterwards; all that there was, where it is left out. */
  readonly leaves?: Stored;
  readonly wire: Readonly<Record<NamedProtocol, Exchange>>;
}

/** A case of the recurring service. It leaves the details of shopper-1. */
export type Case = ServiceCase<keyof RecurringOperations, ProblemName, keyof typeof callers, readonly string[]>;

/** Who may call an operation: with which roles, each alone, and whether by a read-only credential. */
export interface Access {
  readonly roles: readonly string[];
  readonly readOnly: boolean;
  /** The first version that has the operation. */
  readonly since: number;
}

export const visa = '8313147988756818: ONECLICK,RECURRING';
export const mc = '8415995487234100: RECURRING';
export const account = '8814232895168272: PAYOUT';

/** Attributes that declare the default namespace. */
export const R = ' xmlns="http://recurring.services.adyen.com"';
export const P = ' xmlns="http://payment.services.adyen.com"';

/** What the root of an answer declares: the namespace of the service, and those of its records where it has records. */
export const ownDeclared = ` xmlns:ns1="http://recurring.services.adyen.com"${R}`;
export const allDeclared = `${ownDeclared} xmlns:ns2="http://payment.services.adyen.com" xmlns:ns3="http://common.services.adyen.com"`;

/** Elements of members that are absent from an answer. */
export const nil = (...names: readonly string[]): string => names.map((name) => `<${name} xsi:nil="true"/>`).join('');

/** As PHP's SoapClient writes it: generated prefixes, a newline at the end. */
export const php = (content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/" xmlns:ns1="http://payment.services.adyen.com" xmlns:ns2="http://recurring.services.adyen.com" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><SOAP-ENV:Body>${content}</SOAP-ENV:Body></SOAP-ENV:Envelope>
`;

/** As Axis 1.4 writes it: everything that is not set is nil. */
export const axis = (content: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"' +
  ' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
  `<soapenv:Body>${content}</soapenv:Body></soapenv:Envelope>`;

/** As templates of older days have it: indented, a Header of its own, no declaration. */
export const template = (content: string): string =>
  `
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:payment="http://payment.services.adyen.com"
    xmlns:recurring="http://recurring.services.adyen.com">
  <soap:Header/>
  <soap:Body>${content}</soap:Body>
</soap:Envelope>`.trimStart();

/** SOAP 1.2 with addressing headers. */
export const twelve = (content: string): string =>
  '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://www.w3.org/2005/08/addressing">' +
  '<s:Header><a:Action s:mustUnderstand="1">x</a:Action><a:To s:mustUnderstand="1">http://localhost/</a:To></s:Header>' +
  `<s:Body xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${content}</s:Body></s:Envelope>`;

const schemas = 'xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

export const answered11 = (content: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" ' +
  `${schemas}><soap:Body>${content}</soap:Body></soap:Envelope>`;

export const answered12 = (content: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?><env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope" ' +
  `${schemas}><env:Body>${content}</env:Body></env:Envelope>`;

/** Places as XPaths, and what is wrong there, as XML. */
type InvalidFields = readonly (readonly [name: string, message: string])[];

export const fault11 = (text: string, code = 'Server', fields: InvalidFields = []): string =>
  answered11(
    `<soap:Fault><faultcode>soap:${code}</faultcode><faultstring>${text}</faultstring>` +
      `${saysMore(text, fields) ? `<detail>${detailOf(fields)}</detail>` : ''}</soap:Fault>`,
  );

export const fault12 = (text: string, code = 'Sender', fields: InvalidFields = []): string =>
  answered12(
    `<env:Fault><env:Code><env:Value>env:${code}</env:Value></env:Code>` +
      `<env:Reason><env:Text xml:lang="en">${text}</env:Text></env:Reason>` +
      `${saysMore(text, fields) ? `<env:Detail>${detailOf(fields)}</env:Detail>` : ''}</env:Fault>`,
  );

/** One field is in the detail if it says more than the text. */
const saysMore = (text: string, fields: InvalidFields): boolean =>
  fields.length > 1 || fields.some(([, message]) => !text.endsWith(` ${message}`));

const detailOf = (fields: InvalidFields): string =>
  `<f:invalidFields xmlns:f="urn:triglyph:invalid-fields">${fields
    .map(
      ([name, message]) => `<f:invalidField><f:name>${name}</f:name><f:message>${message}</f:message></f:invalidField>`,
    )
    .join('')}</f:invalidFields>`;
