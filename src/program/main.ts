/** The program `triglyph`. It serves the payments where the configuration file does not exclude them. */
import { runProgram } from './cli/program.ts';

// On demand: a gateway with other contracts needs none of them.
await runProgram(async () => (await import('../payments/index.ts')).builtInServices);
