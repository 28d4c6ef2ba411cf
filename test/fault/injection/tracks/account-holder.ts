/** Account holders of a balance platform: one is enrolled, renamed, and perhaps renamed once more. */
import { described, describedOwner, describing, elsewhere, onPlatform, operation } from './platform.ts';
import type { Track } from './track.ts';

export const rightLegalEntity = 'LE00000000000000000000001';
const enrolling = (legalEntityId: string, said = described('enrol')): object => ({ legalEntityId, ...said });

const keys = {
  enrol: {
    operation: operation('createAccountHolder'),
    bodies: {
      right: enrolling(rightLegalEntity),
      'other legal entity': enrolling('LE00000000000000000000002'),
      'other time zone': enrolling(rightLegalEntity, elsewhere('enrol')),
    },
  },
  rename: describing('updateAccountHolder', 'rename'),
  retitle: describing('updateAccountHolder', 'retitle'),
} as const satisfies Track['keys'];

export const accountHolderTrack = Object.freeze({
  ...onPlatform,
  keys,
  table: 'account_holder',
  columns: ['record'],
  ownerOf(row) {
    const record = JSON.parse(row.record!);
    return record.legalEntityId === rightLegalEntity ? describedOwner(keys, record) : undefined;
  },
} as const satisfies Track);
