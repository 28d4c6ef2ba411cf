/** What the view of traffic needs of the server. */
import type { CallerIdentity } from '../../contract/canonical.ts';
import type { LanguageName } from '../../convert/call-source.ts';
import type { FoundRequest, TrafficReader } from '../../observe/traffic/reader.ts';
import type { TrafficLine } from '../../observe/traffic/record.ts';

export interface TrafficPort {
  /** Absent where a setting switches the recording off. */
  readonly reader?: TrafficReader | undefined;
  /** Records in the audit log that a caller of the console has opened a request. */
  opened(line: TrafficLine, by: CallerIdentity): void;
  /** Prints the request as a program, with placeholders for what is masked. Undefined for a request without a canonical form. */
  print(found: FoundRequest, language: LanguageName): string | undefined;
}
