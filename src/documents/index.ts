/** Documents derived from contracts: WSDL, XSD, OpenAPI, JSON Schema and reference pages. */
export { committedDocuments } from './committed.ts';
export { createDocuments, type Document, type Documents, hasNamed, ownedPaths } from './documents.ts';
export { exampleOf } from './example.ts';
export * from './imported-limits.ts';
export * from './names.ts';
export * from './pattern.ts';
export * from './unique-names.ts';
export { escapeAttribute } from './xml-document.ts';
export { faultTypeValues } from './xsd.ts';
