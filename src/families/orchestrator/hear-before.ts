import type { Scope } from '../../core/scope.ts';
import { transcriptOf } from '../../engines/loop/transcript.ts';

const heardTokens = 20_000; // one long result must not hide what was said before it
const mostShown = 8_000; // characters, about 2,000 tokens

/** The end of the conversation that a call is made from, with calls and their results, one turn a line. */
export async function hearBefore(scope: Scope): Promise<string> {
  const turns = await scope.heard(heardTokens);
  const lines: string[] = [];
  let room = mostShown;
  for (const turn of turns.toReversed()) {
    const line = transcriptOf([turn]);
    room -= line.length + 1;
    if (room < 0) break;
    lines.unshift(line);
  }
  return lines.join('\n');
}
