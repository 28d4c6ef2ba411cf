/** Contracts that a document describes, with the servers that answer them: what `serve` serves without a configuration file. */
import { isIP } from 'node:net';
import type { Service } from '../../../core/contract/index.ts';
import type { UpstreamFormat } from '../../../core/formats/index.ts';
import { specialRangeOf } from '../../../core/lib/index.ts';

/** A contract, and the server that answers it as its document says. */
export interface SourcedService {
  readonly service: Service;
  /** The address of the server, as the document has it; empty where it has none. */
  readonly location: string;
  readonly format: UpstreamFormat;
  /** Whether every operation is sent to the address itself. */
  readonly hasSingleAddress: boolean;
  /** Where the document says that the gateway gets tokens for itself (OAuth 2). */
  readonly tokenUrl?: string | undefined;
}

/** What an option such as `--wsdl` has read. */
export interface ContractSource {
  /** The option, for messages. */
  readonly option: string;
  /** The document, as the command line names it. */
  readonly location: string;
  readonly services: readonly SourcedService[];
  /** What was imported, and what was left out, said in another way or has to be checked, with the reasons. */
  readonly report: readonly string[];
  /** The names of the constants in the text, in the order of the services. */
  readonly contractNames: readonly string[];
  /** Returns the contracts as TypeScript. It is only written, and never run. */
  text(): string;
}

/** A document of another server may name public addresses, and its own. No document names those of cloud metadata. */
export function mayName(document: string, host: string): boolean {
  const use = useOf(host);
  if (use === undefined) return true;
  if (use === 'metadata' || use === 'reserved') return false;
  if (!URL.canParse(document) || !/^https?:/i.test(document)) return true;
  const own = new URL(document).hostname;
  return own === host || useOf(own) === use;
}

/** What an address is for, where it is none of the public network. */
export function useOf(host: string): ReturnType<typeof useOfAddress> {
  const plain = host.replace(/^\[|\]$/g, '');
  if (plain === 'localhost' || plain.endsWith('.localhost')) return 'loopback';
  return isIP(plain) === 0 ? undefined : useOfAddress(plain);
}

function useOfAddress(address: string) {
  return specialRangeOf(address)?.use;
}
