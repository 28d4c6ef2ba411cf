/** Tells calls of callers from requests of no caller: scanners, typing errors, and what the console itself sent. */
import { problems } from '../../core/contract/index.ts';
import { isConsoleClient } from '../../core/lib/index.ts';
import { isOther, type RecordedUse } from './caller-record.ts';

type Noise = 'uncounted' | 'console' | 'noCredential' | 'noOperation';

/** Undefined for the use of a caller. */
export function noiseOf({ use, lastOutcome }: RecordedUse): Noise | undefined {
  const { credential, service, operation, client } = use;
  if (isOther(use)) return 'uncounted';
  if (isConsoleClient(client)) return 'console';
  // In SOAP the body names the operation, which is not read without a credential.
  if (credential === '' && lastOutcome === problems.unauthorized.name) return 'noCredential';
  if (service === '' || operation === '') return 'noOperation';
  return credential === '' ? 'noCredential' : undefined;
}

/** Whether a deprecation can concern someone by it. What exceeds the limit of records may be a caller's. */
export function isCaller(record: RecordedUse): boolean {
  const noise = noiseOf(record);
  return noise === undefined || noise === 'uncounted';
}
