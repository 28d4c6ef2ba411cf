/** `NIGHTLY=1`, as in the nightly run: searches that `npm test` shortens are complete. */
export const isNightly = process.env.NIGHTLY !== undefined;
