/** The documents made from a contract: what callers download, what the repository keeps, and the parts tests lean on. */
export { type CommittedDocument, committedDocuments, type Document, type Documents, documentsOf } from './documents.ts';
export { type Extent, exampleOf } from './example.ts';
export { deriveFormSchema } from './form-schema.ts';
export { deriveJsonSchema, type JsonSchema, type Side } from './json-schema.ts';
export { deriveOpenApi } from './openapi.ts';
export { type Page, type Printer, referencePages } from './reference.ts';
export { deriveResourceOpenApi } from './resource-openapi.ts';
export { deriveWsdl } from './wsdl.ts';
export { deriveXsd } from './xsd.ts';
