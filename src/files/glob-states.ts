import { bracketAt } from './ignore-bracket.ts';

/** A point in a pattern. */
export interface GlobState {
  /** Where a letter leads. */
  readonly edges: {
    readonly fits: (letter: string) => boolean;
    readonly isWild: boolean;
    readonly to: number;
  }[];
  /** What is reached from here without a letter. */
  readonly free: number[];
}

/** A pattern as states: from `first` to `last`, as many as it has characters or a few more. */
export interface GlobStates {
  readonly states: readonly GlobState[];
  readonly first: number;
  readonly last: number;
}

/** Reads a pattern; what is not closed stands for itself. */
export function readGlob(glob: string): GlobStates {
  const states: GlobState[] = [];
  const closing = closingBraces(glob);
  return { states, first: add(), last: sequence(0, 0, glob.length) };

  function add(): number {
    return states.push({ edges: [], free: [] }) - 1;
  }

  function edge(from: number, fits: (letter: string) => boolean, isWild: boolean, to = add()): number {
    states[from]?.edges.push({ fits, isWild, to });
    return to;
  }

  function free(from: number, to = add()): number {
    states[from]?.free.push(to);
    return to;
  }

  /** Adds what stands between two places; tells the state after it. */
  function sequence(from: number, start: number, end: number): number {
    let state = from;
    for (let at = start; at < end; at++) {
      const letter = glob.charAt(at);
      const bracket = letter === '[' ? bracketAt(glob.slice(0, end), at) : undefined;
      const close = letter === '{' ? closing.get(at) : undefined;
      if (letter === '*') {
        let next = at + 1;
        while (next < end && glob[next] === '*') next++;
        const isAlone = (at === start || glob[at - 1] === '/') && (next === end || glob[next] === '/');
        const isDeep = next - at > 1 && isAlone;
        state = isDeep ? folders(state, next < end) : star(state);
        at = isDeep && next < end ? next : next - 1;
      } else if (letter === '?') state = edge(state, isInName, true);
      else if (bracket !== undefined) {
        state = edge(state, (other) => isInName(other) && bracket.has(other), true);
        at = bracket.end;
      } else if (close !== undefined) {
        state = alternatives(state, at, close);
        at = close;
      } else {
        const isQuoted = letter === '\\' && at + 1 < end;
        if (isQuoted) at++;
        const literal = String.fromCodePoint(glob.codePointAt(at) ?? 0);
        at += literal.length - 1;
        state = edge(state, (other) => other === literal, false);
      }
    }
    return state;
  }

  function star(from: number): number {
    const state = free(from);
    edge(state, isInName, true, state);
    return state;
  }

  /** Any number of folders with their slashes, or, at the end, at least one name. */
  function folders(from: number, hasMore: boolean): number {
    const outer = free(from);
    const inner = edge(outer, isInName, true);
    edge(inner, isInName, true, inner);
    edge(inner, (letter) => letter === '/', false, outer);
    return free(hasMore ? outer : inner);
  }

  function alternatives(from: number, open: number, close: number): number {
    const after = add();
    let start = open + 1;
    for (let at = start; at <= close; at++) {
      if (at === close || glob[at] === ',') {
        free(sequence(free(from), start, at), after);
        start = at + 1;
      } else if (glob[at] === '\\') at++;
      else at = closing.get(at) ?? at;
    }
    return after;
  }
}

function isInName(letter: string): boolean {
  return letter !== '/';
}

/** Where each brace that is closed is closed. */
function closingBraces(glob: string): ReadonlyMap<number, number> {
  const open: number[] = [];
  const closing = new Map<number, number>();
  for (let at = 0; at < glob.length; at++) {
    if (glob[at] === '\\') at++;
    else if (glob[at] === '{') open.push(at);
    else if (glob[at] === '}') {
      const start = open.pop();
      if (start !== undefined) closing.set(start, at);
    }
  }
  return closing;
}
