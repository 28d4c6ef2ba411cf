/** Contracts from WSDL and OpenAPI documents. */
export { findingLines } from './findings.ts';
export { openApiFindingLines } from './openapi/findings.ts';
export * from './openapi/import-openapi.ts';
export { secretLines } from './secrets.ts';
export { printFinding } from './wsdl/findings.ts';
export { compileNames } from './wsdl/import-service.ts';
export * from './wsdl/import-wsdl.ts';
export { Unread, withoutCredentials } from './wsdl/read-location.ts';
export { contractNames } from './wsdl/write-contract.ts';
