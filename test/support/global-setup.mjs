/** Jest's global set-up: creates the folder for what the test files of one run share. */
import { createRunFolder, runFolderVariable } from './once-per-run.ts';

export default function setUp() {
  // Jest calls this once for each project.
  process.env[runFolderVariable] ??= createRunFolder();
}
