/** Jest's global set-up: creates the folder for what the test files of one run share. */
import { createRunFolder, runFolderVariable } from './once-per-run.ts';

export default function setUp() {
  // Jest calls this once for each project.
  if (process.env[runFolderVariable] !== undefined) return;
  process.env[runFolderVariable] = createRunFolder();
  // The folder is removed by a handler of `exit`.
  process.once('SIGTERM', () => process.exit(143));
}
