/** Which runs belong to a session; one without runs takes no room. */
export interface SessionIndex {
  runsOf(session: string): Iterable<string>;
  /** A run belongs to one session at a time: `from` is where it was, if anywhere, and `to` where it is. */
  move(runId: string, from: string | undefined, to: string | undefined): void;
  clear(): void;
}

/** No runs yet. */
export function createSessionIndex(): SessionIndex {
  const sessions = new Map<string, Set<string>>();

  return {
    runsOf: (session) => sessions.get(session) ?? [],
    move(runId, from, to) {
      if (from === to) return;
      const before = from === undefined ? undefined : sessions.get(from);
      before?.delete(runId);
      if (from !== undefined && before?.size === 0) sessions.delete(from);
      if (to !== undefined) sessions.set(to, (sessions.get(to) ?? new Set<string>()).add(runId));
    },
    clear: () => sessions.clear(),
  };
}
