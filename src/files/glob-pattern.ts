import { AgentError } from '../core/error.ts';
import { readGlob, type GlobState } from './glob-states.ts';

/** The states that a pattern may be in after the beginning of a path; empty when nothing can match any more. */
export type Reached = ReadonlySet<number>;

/** A pattern for paths, as a machine that all its alternatives run through at once: no pattern takes long. */
export interface GlobPattern {
  readonly start: Reached;
  /** After a folder of this name. */
  enter(from: Reached, name: string): Reached;
  /** Whether a file of this name is meant. */
  fits(from: Reached, name: string): boolean;
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
  const over = (from: Reached, name: string): Reached => advance(states, from, name, hidden);
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
function advance(states: readonly GlobState[], from: Reached, name: string, hidden: boolean): Reached {
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

const nowhere: Reached = new Set();

/** These states and all that they lead to without a letter. */
function withFree(states: readonly GlobState[], reached: readonly number[]): Reached {
  const all = new Set(reached);
  for (const at of all) for (const to of states[at]?.free ?? []) all.add(to); // grows on the way
  return all;
}
