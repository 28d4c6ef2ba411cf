/** Prints the messages of a conformance case from what it asks and what it is answered, with none of the gateway's code. */
import { type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { answered11, answered12, axis, type Exchange, fault11, fault12, type ServiceCase, twelve } from './case.ts';

/** A number has no quotes in JSON. `null` is a member without a value, for the formats whose clients send such members. */
type Value = string | number | null | Members;

interface Members {
  readonly [name: string]: Value;
}

/** How the messages of a service differ from those of others. */
interface Dialect {
  readonly namespace: string;
  /** The namespaces of the members of a record, by the member that holds the record. */
  readonly namespaces?: Readonly<Record<string, string>>;
  /** Whether elements `request` and `result` hold the members. */
  readonly hasPart: boolean;
  /** What the form adapter calls the service. */
  readonly name: string;
  /** What the form adapter calls the messages of an operation. */
  messages(operation: string): readonly [input: string, output: string];
  /** The member of a refusal that holds the reference of the request. */
  readonly reference: string;
  /** Refusals in JSON are problem details (RFC 9457), by their status: the end of their type, and their title. */
  readonly details?: Readonly<Record<number, readonly [type: string, title: string]>>;
  /** The names of the items of lists, by the member that holds the list. */
  readonly items?: Readonly<Record<string, string>>;
}

interface Asked {
  readonly asks: Members;
  /** What a format asks instead: other members, or a message by hand. */
  readonly except?: Partial<Record<NamedProtocol, Members | string>>;
  /** The client that sends SOAP 1.1, if not PHP's. */
  readonly client?: 'axis';
}

interface Given {
  readonly gives: Readonly<Record<string, unknown>>;
  /** The element of the SOAP answer, where it holds more than an element for each member. */
  readonly soap?: string;
}

interface Refused<Refusal> {
  readonly refuses: Refusal;
  /** The type, the code and the text of the problem. */
  readonly says: `${'validation' | 'security'} ${number} ${string}`;
  /** What is said of each field. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What is said of a place that is no field. */
  readonly advice?: { readonly name: string; readonly message: string };
  /** The HTTP status of JSON and FORM. A status of 401 is that of SOAP and the adapter, too. */
  readonly status?: number;
}

type Printed<Name, Refusal, As, Stored> = {
  readonly title: string;
  readonly operation: Name;
  readonly as?: As;
  readonly leaves?: Stored;
} & Asked &
  (Given | Refused<Refusal>);

type Answers = Record<NamedProtocol, Omit<Exchange, 'sends'>>;

/** Returns a function that adds the messages to a case. */
export function createPrinter<Name extends string, Refusal extends string, As extends string, Stored>(
  dialect: Dialect,
): (printed: Printed<Name, Refusal, As, Stored>) => ServiceCase<Name, Refusal, As, Stored> {
  return (printed) => {
    const { asks, except = {}, client, ...rest } = printed;
    const { operation } = rest;
    const answers = 'refuses' in rest ? refusalIn(dialect, operation, rest) : resultIn(dialect, operation, rest);
    const exchangeIn = (name: NamedProtocol): Exchange => {
      const instead = except[name];
      if (typeof instead === 'string') return { sends: instead, ...answers[name] };
      return { sends: requestIn(dialect, operation, name, { ...asks, ...instead }, client), ...answers[name] };
    };
    const { title, as, leaves } = rest;
    const wrong =
      'refuses' in rest ? (rest.advice === undefined ? rest.fields : { '': rest.advice.message }) : undefined;
    const fields = wrong === undefined ? {} : { fields: Object.keys(wrong) };
    return {
      title,
      operation,
      ...(as === undefined ? {} : { as }),
      outcome: 'refuses' in rest ? { refuses: rest.refuses, ...fields } : { gives: rest.gives },
      ...(leaves === undefined ? {} : { leaves }),
      wire: Object.fromEntries(namedProtocols.map((name) => [name, exchangeIn(name)])) as ServiceCase['wire'],
    };
  };
}

function requestIn(
  dialect: Dialect,
  operation: string,
  name: NamedProtocol,
  members: Members,
  client?: 'axis',
): string {
  const { namespace, hasPart } = dialect;
  const asked = hasPart ? { request: members } : members;
  switch (name) {
    case 'soap11':
      if (client === 'axis')
        return axis(`<${operation} xmlns="${namespace}">${elementsOf(asked, defaults(dialect))}</${operation}>`);
      return phpRequest(dialect, operation, asked);
    case 'soap12':
      // Clients may write members in another order, all in the namespace of the service, and other characters as references.
      return twelve(
        `<${operation} xmlns="${namespace}">${elementsOf(reversed(asked), ({ name }) => [name, ''])}</${operation}>`.replace(
          /[^ -~]/g,
          (sign) => `&#${sign.codePointAt(0)};`,
        ),
      );
    case 'json':
      return JSON.stringify(members).replace(
        /[^ -~]/g,
        (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    case 'form':
      return formOf(pairsOf(members, ''));
    case 'adapter':
      return formOf([
        ['action', `${dialect.name}.${operation}`],
        ...pairsOf(members, `${dialect.messages(operation)[0]}.`),
      ]).replace(/%../g, (octet) => octet.toLowerCase());
    default:
      return name satisfies never;
  }
}

interface Place {
  readonly name: string;
  /** The member that holds this one. */
  readonly within: string;
}

/** Returns the name of an element with its prefix, and its attributes. */
type Naming = (place: Place) => readonly [name: string, attributes: string];

/** As Axis: each member of a record of another namespace declares it. */
function defaults({ namespaces = {} }: Dialect): Naming {
  return ({ name, within }) => [name, namespaces[within] === undefined ? '' : ` xmlns="${namespaces[within]}"`];
}

/** As PHP: each namespace has a prefix; members without a value are left out. */
function phpRequest({ namespace, namespaces = {} }: Dialect, operation: string, members: Members): string {
  const uris = [...new Set([...Object.values(namespaces), namespace])];
  const prefix = (uri = namespace): string => `ns${uris.indexOf(uri) + 1}`;
  const content = elementsOf(withoutNull(members), ({ name, within }) => [`${prefix(namespaces[within])}:${name}`, '']);
  const declared = uris.map((uri) => ` xmlns:${prefix(uri)}="${uri}"`).join('');
  const root = `${prefix()}:${operation}`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/"${declared}><SOAP-ENV:Body><${root}>${content}</${root}></SOAP-ENV:Body></SOAP-ENV:Envelope>
`;
}

function elementsOf(members: Members, naming: Naming, within = ''): string {
  return Object.entries(members)
    .map(([member, value]) => {
      const [name, attributes] = naming({ name: member, within });
      if (value === null) return `<${name}${attributes} xsi:nil="true"/>`;
      const content = typeof value === 'object' ? elementsOf(value, naming, member) : escapeXml(String(value));
      return `<${name}${attributes}>${content}</${name}>`;
    })
    .join('');
}

function withoutNull(members: Members): Members {
  const kept = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, typeof value === 'object' && value !== null ? withoutNull(value) : value]),
  );
}

function reversed(members: Members): Members {
  return Object.fromEntries(
    Object.entries(members)
      .reverse()
      .map(([name, value]) => [name, typeof value === 'object' && value !== null ? reversed(value) : value]),
  );
}

function pairsOf(value: unknown, prefix: string): readonly (readonly [name: string, value: string])[] {
  return Object.entries(value as object).flatMap(([name, each]): readonly (readonly [string, string])[] => {
    if (each === null) return [];
    return typeof each === 'object' ? pairsOf(each, `${prefix}${name}.`) : [[prefix + name, String(each)]];
  });
}

function formOf(pairs: readonly (readonly [name: string, value: string])[]): string {
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
}

function resultIn(dialect: Dialect, operation: string, { gives, soap }: Given): Answers {
  const { namespace, hasPart, messages, items = {} } = dialect;
  const elements = Object.entries(gives)
    .map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`)
    .join('');
  const root = `ns1:${operation}Response`;
  const response =
    soap ??
    `<${root} xmlns:ns1="${namespace}" xmlns="${namespace}">${hasPart ? `<ns1:result>${elements}</ns1:result>` : elements}</${root}>`;
  return {
    soap11: { answers: answered11(response) },
    soap12: { answers: answered12(response) },
    json: { answers: JSON.stringify(textsOf(gives, items)) },
    form: { answers: formOf(pairsOf(textsOf(gives), '')) },
    adapter: { answers: formOf(pairsOf(textsOf(gives), `${messages(operation)[1]}.`)) },
  };
}

/** Dates as texts, an hour ahead of UTC; items of lists within an object, where `items` names it. */
function textsOf(value: unknown, items: Dialect['items'] = {}): unknown {
  if (Array.isArray(value)) return value.map((each) => textsOf(each, items));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      if (name.endsWith('Date')) return [name, `${new Date(each + 3_600_000).toISOString().slice(0, 19)}+01:00`];
      const item = items[name];
      return [
        name,
        item === undefined ? textsOf(each, items) : each.map((one: unknown) => ({ [item]: textsOf(one, items) })),
      ];
    }),
  );
}

function refusalIn(
  { hasPart, messages, reference, details }: Dialect,
  operation: string,
  { says, fields = {}, advice, status = 422 }: Refused<unknown>,
): Answers {
  const [type = '', code = ''] = says.split(' ');
  const text = says.slice(type.length + code.length + 2);
  const ofFields = Object.entries(fields).map(([name, message]) => ({ name, message }));
  const wrong = advice === undefined ? ofFields : [advice];
  const placed = (prefix: string, separator: string) =>
    wrong.map(({ name, message }) => {
      const place = advice === undefined ? prefix + name.replaceAll('.', separator) : name;
      return [place, message] as const;
    });
  const elements = placed(`/Envelope/Body/${operation}/${hasPart ? 'request/' : ''}`, '/').map(
    ([name, message]) => [name, escapeXml(message)] as const,
  );
  const listed = placed(`${messages(operation)[0]}.`, '.');
  const pointers = wrong.map(({ name, message }) => ({
    name: name === '' || advice !== undefined ? name : `/${name.replaceAll('.', '/')}`,
    message,
  }));
  const [problemType, title] = details?.[status] ?? [];
  const unlessRefused = (otherwise: number): number => (status === 401 ? 401 : otherwise);
  return {
    soap11: { answers: fault11(escapeXml(says), 'Server', elements), status: unlessRefused(500) },
    soap12: { answers: fault12(escapeXml(says), 'Sender', elements), status: unlessRefused(400) },
    json: {
      answers: JSON.stringify({
        ...(problemType !== undefined && { type: `urn:problem:${problemType}`, title }),
        status,
        ...(problemType !== undefined && { detail: text }),
        errorCode: code,
        ...(problemType === undefined && { message: text }),
        errorType: type,
        ...(wrong.length > 0 ? { invalidFields: pointers } : {}),
        [reference]: 'PSP0000000000001',
      }),
      status,
      ...(problemType !== undefined && { type: 'application/problem+json' }),
    },
    form: {
      answers: formOf(
        pairsOf(
          {
            errorType: type,
            errorCode: code,
            message: text,
            invalidFields: wrong,
            [reference]: 'PSP0000000000001',
            status,
          },
          '',
        ),
      ),
      status,
    },
    adapter: {
      answers: says,
      status: unlessRefused(500),
      ...((listed.length > 1 || listed.some(([, message]) => message !== text)) && { invalidFields: formOf(listed) }),
    },
  };
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
