/** Reads one document of an import: a file below the folder of the WSDL, or a URL where the network is allowed. */
import type { Buffer } from 'node:buffer';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { basicHeader, decodeComponent, describeSystemError } from '../../core/lib/index.ts';
import {
  decodeXml,
  type Limits,
  type LocatedElement,
  Malformed,
  parseLocated,
  UnknownEncoding,
  Unreadable,
  withoutDoctype,
  withoutLayout,
} from '../../core/xml/index.ts';
import { describeOtherKind } from '../kind-of-document.ts';
import { type DownloadOptions, download, hasCredentials, NotDownloaded, type Origin } from './download.ts';
import type { Finding } from './findings.ts';

/** A document cannot be read, or holds nothing that can be imported. The message says why. */
export class Unread extends Error {
  override readonly name = 'Unread';
  /** What was found before. */
  findings: readonly Finding[] = [];
}

export interface ReadingOptions {
  readonly allowNetwork: boolean;
  /** What a message says where the network is not allowed; by default that files do not lead there. */
  readonly networkHint?: string | undefined;
  /** The folder that files may be read from; by default that of the WSDL. */
  readonly folder?: string | undefined;
  /** For each document of the network, in milliseconds; 20 seconds by default. */
  readonly timeLimitMs?: number | undefined;
  /** Replaces the resolution of names. */
  readonly resolve?: DownloadOptions['resolve'];
}

/** How the locations of an import are resolved and read. */
export interface Reading {
  /** A URL. That of the first document may have credentials for HTTP Basic, which documents of its origin get. `base`: of the document that names the location; undefined for the first one. */
  resolve(location: string, base: string | undefined): Promise<string>;
  /** `base`: as for `resolve`. */
  bytes(location: string, base: string | undefined): Promise<Buffer>;
}

/** Bytes of one document, and of all documents together. */
export const bytesMax = 8 << 20;
const allBytesMax = 32 << 20;
const defaultTimeLimitMs = 20_000;
const defaultNetworkHint = 'where a file does not lead: save it in the folder of the file';

export function createReading(options: ReadingOptions): Reading {
  const { allowNetwork, networkHint = defaultNetworkHint, folder, timeLimitMs = defaultTimeLimitMs, resolve } = options;
  /** Origins of the documents of the network. */
  const origins = new Map<string, Origin>();
  let authorization: DownloadOptions['authorization'];
  let allowedFolder = folder === undefined ? undefined : realpath(folder);
  let total = 0;
  return {
    async resolve(written, base) {
      const url = locate(written, base);
      const location = withoutCredentials(written);
      if (url.protocol === 'http:' || url.protocol === 'https:') {
        if (!allowNetwork) throw new Unread(`${location} is on the network, ${networkHint}`);
        if (!hasCredentials(url)) return url.href;
        if (base !== undefined)
          throw new Unread('a URL with a user or a password is not read where a document names it');
        const value = basicHeader(decodeComponent(url.username), decodeComponent(url.password));
        authorization = { origin: url.origin, value };
        return withoutCredentials(url.href);
      }
      if (url.protocol !== 'file:') throw new Unread(`${location} is no file and no URL of HTTP`);
      if (base !== undefined && !base.startsWith('file:')) throw new Unread(`${location} is a file, named by a URL`);
      const path = await realPathOf(url, location);
      allowedFolder ??= Promise.resolve(dirname(path));
      const allowed = await allowedFolder;
      const steps = relative(allowed, path);
      if (steps === '..' || steps.startsWith(`..${sep}`))
        throw new Unread(`${location} is outside of the folder of the document; --folder allows another one`);
      return pathToFileURL(path).href;
    },

    async bytes(location, base) {
      const namedBy = base === undefined ? 'user' : (origins.get(base) ?? 'user');
      const { bytes, origin } = location.startsWith('file:')
        ? { bytes: await readBytes(fileURLToPath(location)), origin: 'user' as const }
        : await readUrl(location, { namedBy, bytesMax, timeLimitMs, authorization, resolve });
      origins.set(location, origin);
      total += bytes.length;
      if (total > allBytesMax) throw new Unread(`the documents have more than ${allBytesMax >> 20} MiB`);
      return bytes;
    },
  };
}

/** Returns a location as it may be printed and stored: without the name and the password of its URL. */
export function withoutCredentials(location: string): string {
  return location.replace(/^(\s*[a-z][a-z0-9+.-]*:[\\/]*)[^\\/?#]*@/i, '$1');
}

/** What people name by mistake, as Latin-1. `isFirst`: the document that the import is about. */
function mistakeIn(text: string, isFirst: boolean): string | undefined {
  if (/^\s*(?:<!doctype html|<html)/i.test(text))
    return 'is a page in HTML and no WSDL: the address of one often ends in ?wsdl';
  return isFirst ? describeOtherKind(text, 'wsdl') : undefined;
}

/** Throws Unread with the line and column of a document that is not well-formed. */
export async function readLocation(
  location: string,
  { name, base }: { readonly name: string; readonly base: string | undefined },
  reading: Reading,
  limits: Limits,
): Promise<LocatedElement> {
  const bytes = await reading.bytes(location, base);
  const mistake = mistakeIn(bytes.toString('latin1', 0, 20_000), base === undefined);
  if (mistake !== undefined) throw new Unread(`${name} ${mistake}`);
  try {
    const text = decodeXml(withoutLayout(bytes), undefined);
    // Schemas of the W3C have a DOCTYPE. Without it, a reference to an entity of it is an error.
    return parseLocated(base === undefined ? text : withoutDoctype(text), limits);
  } catch (thrown) {
    if (thrown instanceof Malformed) {
      const { position, reason } = thrown;
      throw new Unread(`${name}${position === undefined ? '' : `:${position.line}:${position.column}`}: ${reason}`);
    }
    if (thrown instanceof Unreadable || thrown instanceof UnknownEncoding)
      throw new Unread(`${name}: ${thrown.message || 'unknown encoding'}`);
    throw thrown;
  }
}

/** As messages name it: relative to the first document where both are files. */
export function nameOfLocation(location: string, first: string): string {
  if (!location.startsWith('file:') || !first.startsWith('file:')) return location;
  return relative(dirname(fileURLToPath(first)), fileURLToPath(location));
}

function locate(location: string, base: string | undefined): URL {
  try {
    if (base !== undefined) return new URL(location, base);
    return /^[a-z][a-z0-9+.-]+:\/\//i.test(location) ? new URL(location) : pathToFileURL(location);
  } catch {
    throw new Unread(`${withoutCredentials(location)} is no location`);
  }
}

async function realPathOf(url: URL, location: string): Promise<string> {
  try {
    return await realpath(fileURLToPath(url));
  } catch (thrown) {
    throw new Unread(`${location} cannot be read (${reasonOf(thrown)})`);
  }
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > bytesMax) throw new Unread(`${path} has more than ${bytesMax >> 20} MiB`);
    return await readFile(path);
  } catch (thrown) {
    throw thrown instanceof Unread ? thrown : new Unread(`${path} cannot be read (${reasonOf(thrown)})`);
  }
}

async function readUrl(location: string, options: DownloadOptions) {
  try {
    return await download(location, options);
  } catch (thrown) {
    if (thrown instanceof NotDownloaded) throw new Unread(`${location} ${thrown.message}`);
    throw new Unread(`${location} cannot be read (${reasonOf(thrown)})`);
  }
}

/** Codes of certificates that no known authority has signed. */
const unknownAuthority =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?))$/;

function reasonOf(thrown: unknown): string {
  // A DOMException is no Error in every realm, and its code is a number.
  if (Object(thrown).name === 'TimeoutError') return 'it takes too long';
  const { code, message } = Object(thrown) as NodeJS.ErrnoException;
  if (code === 'ADDRESS_NOT_ALLOWED')
    return 'its address is link-local or of cloud metadata, or it is private and what names it is not in the same network';
  if (code !== undefined && unknownAuthority.test(code))
    return 'its certificate is of an authority that is not known here: NODE_EXTRA_CA_CERTS names a file with more of them';
  return describeSystemError(thrown) ?? code ?? message ?? String(thrown);
}
