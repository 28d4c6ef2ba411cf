/** Contracts that a document describes, with the servers that answer them: what `serve` serves without a configuration file. */
import type { Service } from '../../contract/service.ts';
import type { UpstreamFormat } from '../../formats/index.ts';

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
