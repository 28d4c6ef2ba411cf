/** The members of requests that Triglyph ignores, by the type that has them, each with where it comes from. */
import type { IgnoredMembers } from '../../core/contract/index.ts';

/** Only the platform sets these; callers send them back with what they read. */
const answers = 'answers';

export const ignoredMembers = Object.freeze({
  AccountHolder: { migratedAccountHolderCode: 'version 2' },
  AccountHolderCapability: {
    allowed: answers,
    allowedLevel: answers,
    allowedSettings: answers,
    problems: answers,
    requestedSettings: 'version 2',
    transferInstruments: 'version 2',
    verificationStatus: answers,
  },
  AccountHolderUpdateRequest: { migratedAccountHolderCode: 'version 2', verificationDeadlines: answers },
  BalanceAccount: { migratedAccountCode: 'version 2' },
} as const satisfies Readonly<Record<string, IgnoredMembers>>);
