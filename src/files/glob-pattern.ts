import { AgentError } from '../core/error.ts';
import { bracketAt } from './ignore-rules.ts';

/** The possible states of a pattern after matching part of a path. Empty if no match is possible. */
export type ReachedStates = ReadonlySet<number>;

/**
 * A path pattern compiled to a state machine that follows all alternatives in parallel, so matching
 * never backtracks.
 */
export interface GlobPattern {
  readonly start: ReachedStates;
  /** Returns the states after entering a folder with this name. */
  enter(from: ReachedStates, name: string): ReachedStates;
  /** Returns whether a file with this name matches. */
  fits(from: ReachedStates, name: string): boolean;
}

const longest = 1000;

/**
 * Parses a path pattern with `*`, `**`, `?`, `[…]` and `{a,b}`. Only a literal dot matches the dot at the
 * start of a name, unless `hidden` is set. Throws `usage.bad-input` for an invalid pattern.
 */
export function globPattern(text: string, hidden = false): GlobPattern {
  const glob = text.replace(/^(?:\.\/)+/, '');
  if (glob.length > longest) throw badPattern(`has more than ${longest} characters`, 'Use a shorter one.');
  if (glob.startsWith('/'))
    throw badPattern('is absolute', 'Set path to the folder, and use a pattern relative to that folder.');
  if (glob.split('/').includes('..'))
    throw badPattern('leads out of its folder', 'Set path to the folder to search.');
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

/** Returns the states reached after matching a name or a slash. */
function advance(
  states: readonly GlobState[],
  from: ReachedStates,
  name: string,
  hidden: boolean,
): ReachedStates {
  let reached = from;
  let isHiding = !hidden && name.startsWith('.');
  for (const character of name) {
    const next: number[] = [];
    for (const at of reached) {
      for (const edge of states[at]?.edges ?? []) {
        if (!(isHiding && edge.isWild) && edge.fits(character)) next.push(edge.to);
      }
    }
    if (next.length === 0) return nowhere;
    reached = withFree(states, next);
    isHiding = false;
  }
  return reached;
}

const nowhere: ReachedStates = new Set();

/** Returns the given states and all states that can be reached from them without matching a character. */
function withFree(states: readonly GlobState[], reached: readonly number[]): ReachedStates {
  const all = new Set(reached);
  // The loop also visits states that are added while it runs.
  for (const at of all) for (const to of states[at]?.free ?? []) all.add(to);
  return all;
}

/** A state in the state machine of a pattern. */
interface GlobState {
  /** Transitions that match a character. */
  readonly edges: {
    readonly fits: (character: string) => boolean;
    readonly isWild: boolean;
    readonly to: number;
  }[];
  /** States reached without matching a character. */
  readonly free: number[];
}

/** A section of a pattern's state machine, from `first` to `last`, with about one state per character. */
interface GlobStates {
  readonly states: readonly GlobState[];
  readonly first: number;
  readonly last: number;
}

/** Parses a pattern. An unclosed bracket or brace is literal. */
function readGlob(glob: string): GlobStates {
  const states: GlobState[] = [];
  const closing = closingBraces(glob);
  return { states, first: add(), last: sequence(0, 0, glob.length) };

  function add(): number {
    return states.push({ edges: [], free: [] }) - 1;
  }

  function edge(from: number, fits: (character: string) => boolean, isWild: boolean, to = add()): number {
    states[from]?.edges.push({ fits, isWild, to });
    return to;
  }

  function free(from: number, to = add()): number {
    states[from]?.free.push(to);
    return to;
  }

  /** Adds the part of the pattern from `start` to `end` and returns the state after it. */
  function sequence(from: number, start: number, end: number): number {
    let state = from;
    for (let at = start; at < end; at++) {
      const character = glob.charAt(at);
      const bracket = character === '[' ? bracketAt(glob.slice(0, end), at) : undefined;
      const close = character === '{' ? closing.get(at) : undefined;
      if (character === '*') {
        let next = at + 1;
        while (next < end && glob[next] === '*') next++;
        const isAlone = (at === start || glob[at - 1] === '/') && (next === end || glob[next] === '/');
        const isDeep = next - at > 1 && isAlone;
        state = isDeep ? folders(state, next < end) : star(state);
        at = isDeep && next < end ? next : next - 1;
      } else if (character === '?') state = edge(state, isInName, true);
      else if (bracket !== undefined) {
        state = edge(state, (other) => isInName(other) && bracket.has(other), true);
        at = bracket.end;
      } else if (close !== undefined) {
        state = alternatives(state, at, close);
        at = close;
      } else {
        const isQuoted = character === '\\' && at + 1 < end;
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

  /**
   * Adds the states for `**`. It matches any number of folders or, at the end of a pattern, at least one
   * name.
   */
  function folders(from: number, hasMore: boolean): number {
    const outer = free(from);
    const inner = edge(outer, isInName, true);
    edge(inner, isInName, true, inner);
    edge(inner, (character) => character === '/', false, outer);
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

function isInName(character: string): boolean {
  return character !== '/';
}

/** Maps each opening brace to the position of its closing brace. Unclosed braces are omitted. */
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
