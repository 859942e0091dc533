/** Where the table of sessions is kept: by id, what is known of each. */
export const sessionsSpace = 'sessions';

/** Where summaries of conversations are kept, by the id of their session. */
export const summariesSpace = 'summaries';

/** Where the values of a session are kept. No two ids share a space: the id is all that follows the slash. */
export function memorySpace(id: string): string {
  return `memory/${id}`;
}

/** Where the turns of a session are kept, in the order of their keys. */
export function turnsSpace(id: string): string {
  return `turns/${id}`;
}
