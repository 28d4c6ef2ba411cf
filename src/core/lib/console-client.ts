/** Recognizes the console among the clients of its own gateway. */

/** The name of the explorer of the console. */
export const consoleClient = 'triglyph-console';

/** Whether a client is the console, as the recorded name has it: with its hints behind a comma. */
export function isConsoleClient(client = ''): boolean {
  return client === consoleClient || client.startsWith(`${consoleClient},`);
}
