/** Regenerates the committed documents: wsdl/, openapi.json, docs/reference/ and docs/configuration.md. */
import { join } from 'node:path';
import { writeDocuments } from '../src/program/cli/write-documents.ts';

writeDocuments(join(import.meta.dirname, '..'));
