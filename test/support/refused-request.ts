/** A request that any server refuses, and records in its traffic. */

/** It has a connection of its own, so that each of several workers serves some of them. `origin`: of the port for callers. */
export async function sendRefused(origin: string): Promise<void> {
  const answer = await fetch(`${origin}/pal/servlet/Recurring/v68/disable`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close', 'x-api-key': 'a-secret-of-nobody' },
    body: '{}',
  });
  await answer.text();
}
