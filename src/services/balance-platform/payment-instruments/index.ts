/** The resource of payment instruments: its kind, its operations and their handlers. */
import { bindHandlers } from '../../../gateway/implement.ts';
import type { Resource } from '../resource.ts';
import { operations } from './contract.ts';
import { createPaymentInstrument } from './create.ts';
import * as handlers from './handlers.ts';
import { paymentInstruments } from './kind.ts';

export const paymentInstrumentResource = Object.freeze({
  kind: paymentInstruments,
  handlers: bindHandlers(operations, { ...handlers, createPaymentInstrument }),
}) satisfies Resource;
