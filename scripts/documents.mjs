/** Renews the committed documents: wsdl/, openapi.json and docs/reference/. */
import { join } from 'node:path';
import { writeDocuments } from '../src/command/write-documents.ts';

writeDocuments(join(import.meta.dirname, '..'), () => true);
