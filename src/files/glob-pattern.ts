import { AgentError } from '../core/error.ts';
import { bracketAt } from './ignore-rules.ts';

/** The states that a pattern may be in after the beginning of a path; empty when nothing can match any more. */
export type ReachedStates = ReadonlySet<number>;

/** A pattern for paths, as a machine that all its alternatives run through at once: no pattern takes long. */
export interface GlobPattern {
  readonly start: ReachedStates;
  /** After a folder of this name. */
  enter(from: ReachedStates, name: string): ReachedStates;
  /** Whether a file of this name is meant. */
  fits(from: ReachedStates, name: string): boolean;
}

const longest = 1000;

/**
 * The pattern of a text with `*`, `**`, `?`, `[…]` and `{a,b}`, for paths with slashes. Names that begin with a dot
 * fit only what has the dot itself, unless `hidden`. Throws `usage.bad-input` for one that cannot mean anything.
 */
export function globPattern(text: string, hidden = false): GlobPattern {
  const glob = text.replace(/^(?:\.\/)+/, '');
  if (glob.length > longest) throw badPattern(`has more than ${longest} characters`, 'Use a shorter one.');
  if (glob.startsWith('/'))
    throw badPattern('is absolute', 'Give the folder as path, and the pattern relative to it.');
  if (glob.split('/').includes('..')) throw badPattern('leads out of its folder', 'Give the folder as path.');
  const { states, first, last } = readGlob(glob);
  const over = (from: ReachedStates, name: string): ReachedStates => advance(states, from, name, hidden);
  return {
    start: withFree(states, [first]),
    enter: (from, name) => advance(states, over(from, name), '/', true),
    fits: (from, name) => over(from, name).has(last),
  };
}

function badPattern(fault: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', `The pattern ${fault}.`, { hint });
}

/** The states after one name, or after a slash. */
function advance(
  states: readonly GlobState[],
  from: ReachedStates,
  name: string,
  hidden: boolean,
): ReachedStates {
  let reached = from;
  let isHiding = !hidden && name.startsWith('.');
  for (const letter of name) {
    const next: number[] = [];
    for (const at of reached) {
      for (const edge of states[at]?.edges ?? []) {
        if (!(isHiding && edge.isWild) && edge.fits(letter)) next.push(edge.to);
      }
    }
    if (next.length === 0) return nowhere;
    reached = withFree(states, next);
    isHiding = false;
  }
  return reached;
}

const nowhere: ReachedStates = new Set();

/** These states and all that they lead to without a letter. */
function withFree(states: readonly GlobState[], reached: readonly number[]): ReachedStates {
  const all = new Set(reached);
  for (const at of all) for (const to of states[at]?.free ?? []) all.add(to); // grows on the way
  return all;
}

/** A point in a pattern. */
interface GlobState {
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
interface GlobStates {
  readonly states: readonly GlobState[];
  readonly first: number;
  readonly last: number;
}

/** Reads a pattern; what is not closed stands for itself. */
function readGlob(glob: string): GlobStates {
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
