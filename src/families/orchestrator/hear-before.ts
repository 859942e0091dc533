import type { Scope } from '../../core/scope.ts';
import { transcriptOf } from '../../engines/loop/transcript.ts';

const heardTokens = 10_000; // one long result must not hide what was said before it
const mostShown = 8_000; // characters, about 2,000 tokens

/**
 * The conversation that a call is made from, with calls and their results, one turn a line: its end, and its first turn,
 * which tells what it is about.
 */
export async function hearBefore(scope: Scope): Promise<string> {
  const turns = await scope.heard(heardTokens);
  const [first, ...others] = turns.map((turn) => transcriptOf([turn]));
  if (first === undefined) return '';
  let from = others.length;
  let room = mostShown - first.length;
  while (from > 0 && (room -= (others[from - 1] ?? '').length + 1) >= 0) from -= 1;
  const left = from === 0 ? [] : [`[${from} turns are left out here]`];
  return [first, ...left, ...others.slice(from)].join('\n');
}
