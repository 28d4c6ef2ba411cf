/** What the runs know of a client stack. */

/** The document from which a stub is made, or by which a client is configured. */
export type Document =
  | 'V1'
  | 'v1?wsdl'
  | 'V12'
  | '?wsdl'
  | '?wsdl&soap12=no'
  | 'v68?wsdl'
  | 'v68?wsdl&soap12=no'
  | 'none';

export interface Run {
  readonly document: Document;
  /** The last argument of the client: the version of SOAP, or a style of its own. */
  readonly variant: string;
  /** The path that is called, where it is not the one of the document. */
  readonly path?: string;
}

/** Their stubs know the operations and members of version 1: the client does not call newer ones. */
export function isVersion1({ document }: Run): boolean {
  return document === 'V1' || document === 'v1?wsdl';
}

export interface Stack {
  /** Also its folder in `clients/`. */
  readonly name: string;
  readonly title: string;
  /** The page in `docs/clients/`. */
  readonly page: string;
  readonly source: Debian | Npm | DevDependency;
  /** How the caller sends the key of a request. */
  readonly key: string;
  /** What a caller has to know, for the table. */
  readonly note?: string;
  readonly runs: readonly Run[];
  /** Makes the stubs, in an empty folder. `$DOCUMENT` is the document, `$CLIENT` the folder of the client. `$VERSION1` is set for stubs of version 1. */
  readonly prepare?: string;
  /** Runs the client in that folder. Its arguments follow: document, endpoint, shopper, variant. */
  readonly command: string;
}

export interface Debian {
  readonly kind: 'Debian';
  readonly packages: readonly string[];
  /** The package whose version is the version of the stack. */
  readonly versionOf: string;
}

/** Installed into a folder of its own, since no other test needs it. */
export interface Npm {
  readonly kind: 'npm';
  readonly packages: readonly string[];
}

export interface DevDependency {
  readonly kind: 'devDependency';
  readonly module: string;
}

const v1: Run = { document: 'V1', variant: '1.1' };
const ownV1: Run = { document: 'v1?wsdl', variant: '1.1' };
const v12: Run = { document: 'V12', variant: '1.1' };
const soap11: Run = { document: '?wsdl', variant: '1.1' };
const soap12: Run = { document: '?wsdl', variant: '1.2' };
const single: Run = { document: '?wsdl&soap12=no', variant: '1.1' };
const newest: Run = { document: 'v68?wsdl', variant: '1.1' };
const newestSingle: Run = { document: 'v68?wsdl&soap12=no', variant: '1.1' };

export const runs = { v1, ownV1, v12, soap11, soap12, single, newest, newestSingle } as const;
