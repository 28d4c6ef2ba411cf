/** Prints a canonical request as a program that sends it: in curl, PHP, Python, Java, C#, Ruby or Node. */
import type { Operation, Service } from '../core/contract/index.ts';
import { type Call, type ProtocolName, type Protocols, usualFormat, wireFormats } from '../core/formats/index.ts';
import { csharp } from './languages/csharp.ts';
import { curl } from './languages/curl.ts';
import { java } from './languages/java.ts';
import type { Language, SourceBody, SourceCredential } from './languages/language.ts';
import { node } from './languages/node.ts';
import { php } from './languages/php.ts';
import { python } from './languages/python.ts';
import { ruby } from './languages/ruby.ts';

/** The languages of calls. A new one is a file and a line here. */
export const languages = Object.freeze({ curl, php, python, java, csharp, ruby, node });

/** The name of a language: `curl`, `php`, `python`, `java`, `csharp`, `ruby` or `node`. */
export type LanguageName = keyof typeof languages;
export const languageNames = Object.freeze(Object.keys(languages) as LanguageName[]);

/** A request to be printed. */
export interface CallRequest {
  readonly service: Service;
  readonly operation: Operation;
  /** Canonical. */
  readonly input: unknown;
}

interface CallSourceOptions {
  /** The address of the server: `https://pay.example.com`. */
  readonly origin: string;
  /** By default JSON, with the HTTP binding where the operation has one. */
  readonly format?: ProtocolName | undefined;
  /** The source reads API_KEY from its environment, which is the default, or API_USER and API_PASSWORD. */
  readonly credential?: SourceCredential | undefined;
}

/** Returns a whole program. It sends the request, and prints the status and the body of the answer. */
export function printCallSource(
  language: LanguageName,
  { service, operation, input }: CallRequest,
  protocols: Protocols,
  { origin, format = usualFormat(operation), credential = 'apiKey' }: CallSourceOptions,
): string {
  const call = protocols[format].encodeRequest(service, operation, input);
  const body = bodyOf(call, format);
  const { print }: Language = languages[language];
  return print({
    method: call.method ?? 'POST',
    url: origin + call.path,
    headers: [
      ...(body === undefined ? [] : [['Content-Type', call.contentType] as const]),
      ...Object.entries(call.headers ?? {}),
    ],
    body,
    credential,
    hasKey: operation.effect === 'writes',
  });
}

function bodyOf({ body }: Call, format: ProtocolName): SourceBody | undefined {
  return wireFormats[format].text.source?.(body) ?? (body === '' ? undefined : { kind: 'text', text: body });
}
