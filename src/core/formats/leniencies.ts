/** The table of leniencies: what is read although no document of the interface allows it, since hand-written callers may send it. */

/** Each can be turned off. None gives a request two meanings: what could have two is refused. */
export const leniencies = Object.freeze({
  'double-slashes': 'several slashes for one in the address of an operation that callers name',
  'text-json': '`text/json` for `application/json`',
  'json-as-form': 'a JSON object that is declared as a form, as `curl -d` declares every body',
  'blanks-before-xml': 'blanks before an XML declaration',
  'multipart-forms': '`multipart/form-data` without files at the form adapter',
  'query-fields': 'fields in the query at the form adapter, none of them secret',
  'adapter-names': 'names of the form adapter, such as `disableRequest.contract`, at the address of the operation',
  'unknown-members': 'members that the contract lacks, of a service whose contract says that they are dropped',
});

export type Leniency = keyof typeof leniencies;

export type Leniencies = ReadonlySet<Leniency>;

export const leniencyNames = Object.freeze(Object.keys(leniencies) as Leniency[]);

export const allLeniencies: Leniencies = new Set(leniencyNames);

/** All but these. */
export function allExcept(off: readonly Leniency[]): Leniencies {
  return new Set(leniencyNames.filter((name) => !off.includes(name)));
}
