/** What tests know of each wire format. A new format needs one entry here. */
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import type { Call } from '../../src/core/formats/protocol.ts';
import type { NamedProtocol } from '../../src/core/formats/wire-formats.ts';
import type { Loose } from '../support/lenient.ts';
import { adapter, form } from './form.ts';
import type { TestFormat } from './format.ts';
import { json } from './json.ts';
import { soap11, soap12 } from './soap.ts';

export const formats: Readonly<Record<NamedProtocol, TestFormat>> = { soap11, soap12, json, form, adapter };

/** Prints a request that may be invalid, independent of the encoders under test. */
export function printLoose(name: NamedProtocol, service: Service, operation: Operation, tree: Loose): Call {
  const { path, contentType, print } = formats[name];
  return { path: path(service, operation), contentType, body: print(service, operation, tree) };
}
