/** A service that one test needs: its name says its address and its namespace. */
import { type Operation, type OwnContract, service } from '../../src/program/api/contract.ts';

/** `urn:files` is the namespace of `Files`, and `f` its prefix. */
export function madeUpService<O extends readonly Operation[]>(name: string, ...operations: O): OwnContract<O[number]> {
  const word = name.toLowerCase();
  const own = word.slice(0, 1);
  return service({
    name,
    version: 1,
    answers: { from: 1, to: 1 },
    doc: '',
    roles: [...new Set(operations.map(({ role }) => role))],
    address: `/${word}`,
    namespaces: { own, uris: { [own]: `urn:${word}` } },
    soapStyle: 'wrapped',
    operations,
  });
}
