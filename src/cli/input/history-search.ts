import type { Key } from 'node:readline';

/** A search through earlier lines, as Ctrl+R starts it in a shell. */
export interface HistorySearch {
  readonly query: string;
  /** The line that was found, or the empty text. */
  readonly found: string;
  /** Handles a key. Any key that does not belong to the search ends it. */
  press(characters: string | undefined, key: Key): 'taken' | 'ended';
}

/** Starts a search with the text that was already typed. `history` has the newest line first. */
export function createHistorySearch(history: readonly string[], typed: string): HistorySearch {
  let query = typed;
  let at = -1;
  let found = typed;
  const look = (from: number): void => {
    const index = history.findIndex((line, position) => position >= from && line.includes(query));
    if (index < 0) return; // Nothing older matches: keep the line that is shown.
    at = index;
    found = history[index] ?? '';
  };
  if (typed !== '') look(0);
  return {
    get query() {
      return query;
    },
    get found() {
      return found;
    },
    press(characters, { name = '', ctrl = false, meta = false }) {
      if (ctrl && name === 'r') look(query === '' ? 0 : at + 1);
      else if (name === 'backspace') {
        query = query.slice(0, -1);
        look(0);
      } else if (ctrl && name === 'g') {
        found = typed;
        return 'ended';
      } else if (!ctrl && !meta && characters !== undefined && /^[^\p{Cc}]+$/u.test(characters)) {
        query += characters;
        look(Math.max(at, 0));
      } else return 'ended';
      return 'taken';
    },
  };
}
