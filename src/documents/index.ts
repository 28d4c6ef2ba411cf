/** Documents derived from contracts: those that callers download and those that the repository keeps. */
export { type CommittedDocument, committedDocuments, committedOpenApi } from './committed.ts';
export { createDocuments, type Document, type Documents, openApisOf } from './documents.ts';
export { type Extent, exampleOf } from './example.ts';
export { deriveJsonSchema, type JsonSchema, type Side } from './json-schema.ts';
export { deriveOpenApi } from './openapi.ts';
export { boundReferencePages, type Page, type Printer, referencePages } from './reference.ts';
export { deriveWsdl } from './wsdl.ts';
export { deriveXsd } from './xsd.ts';
