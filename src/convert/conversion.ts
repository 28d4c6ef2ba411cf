/** The types of a conversion: what is asked, and what comes out. */
import { type ProtocolName, protocolNames } from '../core/formats/index.ts';
import { type LanguageName, languageNames } from './call-source.ts';
import type { MessageHints, MessageSide } from './identify-message.ts';
import type { MessagePlace } from './locate.ts';
import type { Change } from './scalar-changes.ts';

/** A wire format, or a language in which a request is printed as a program. */
export type ConversionTarget = ProtocolName | LanguageName;

export const conversionTargets: readonly ConversionTarget[] = Object.freeze([...protocolNames, ...languageNames]);

/** One message, and what it becomes. */
export interface ConvertOptions extends MessageHints {
  /** One message, as text or bytes: a body, or an HTTP message with its head. */
  readonly message: string | Uint8Array;
  readonly to?: readonly ConversionTarget[];
  /** Masks sensitive members in all results. */
  readonly mask?: boolean;
  /** The address of the server in programs. By default `http://127.0.0.1:8080`. */
  readonly origin?: string;
}

/** A value that the conversion changes. */
export interface Coercion {
  /** In the coordinates of the message: an XPath, a JSON pointer, a dotted name. */
  readonly at: string;
  readonly changes: readonly Change[];
  /** As the message has it. Sensitive texts are masked. Absent where it is no scalar. */
  readonly from?: string;
  /** The canonical value as JSON. Absent where the member is absent. */
  readonly to?: string;
  /** The format that cannot hold the value; absent where reading changes it. */
  readonly in?: ProtocolName;
  /** In the text of the message. */
  readonly place?: MessagePlace;
}

/** What is wrong with a field. */
export interface ConversionIssue {
  /** In the coordinates of the message. */
  readonly at: string;
  readonly code: string;
  readonly message: string;
  /** In the text of the message: of the field, or of what it belongs into where it is missing. */
  readonly place?: MessagePlace;
}

/** A message in another format. */
export interface ConvertedMessage {
  /** Of a request. */
  readonly method?: string;
  /** Of a request, with its query. */
  readonly path?: string;
  /** Of an answer or an error. */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What an error says. */
export interface RefusalContent {
  readonly status: number;
  readonly code?: string;
  readonly type?: string;
  readonly message: string;
  readonly issues: readonly RefusedField[];
  readonly requestReference?: string;
  /** The data of a declared fault, by the name of its element. */
  readonly fault?: Readonly<Record<string, unknown>>;
}

/** A field that was refused, by its dotted name. */
export interface RefusedField {
  readonly field: string;
  readonly message: string;
}

/** A message, what it says, and the same in other formats. */
export interface Conversion {
  readonly service: string;
  readonly version: number;
  /** Absent for an error that does not name it. */
  readonly operation?: string;
  readonly format: ProtocolName;
  readonly side: MessageSide;
  /** The canonical input or output, or a `RefusalContent`. With issues, the parts that are valid. */
  readonly canonical: unknown;
  readonly coercions: readonly Coercion[];
  readonly issues: readonly ConversionIssue[];
  /** By format. None where there are issues. */
  readonly messages: Readonly<Partial<Record<ProtocolName, ConvertedMessage>>>;
  /** By language. None where there are issues. */
  readonly programs: Readonly<Partial<Record<LanguageName, string>>>;
}
