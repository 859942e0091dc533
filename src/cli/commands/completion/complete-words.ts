import { isAgentError } from '../../../core/error.ts';
import { cutTo, oneLine } from '../../output/text.ts';
import type { CommandEntry } from '../../command.ts';
import type { Completion } from './offer.ts';
import { offersAt } from './offers-at.ts';
import { readTyped } from './read-typed.ts';

const widest = 80; // columns of a meaning

/** Completes the last of the words behind `skilled`. It only looks, and offers nothing that a shell takes for more than a word. */
export async function completeWords(
  words: readonly string[],
  commands: readonly CommandEntry[],
  cwd: string,
): Promise<Completion> {
  const typed = words.map(plain);
  const current = typed.at(-1) ?? '';
  const before = typed.slice(0, -1).filter((word) => word !== '');
  try {
    const { kind, offers } = await offersAt(await readTyped(before, current, { commands, cwd }));
    const fitting = offers.filter(({ word }) => word.startsWith(current) && isHarmless(word));
    return {
      kind,
      offers: fitting.map(({ word, about }) => ({ word, about: cutTo(oneLine(about), widest) })),
    };
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return { kind: 'words', offers: [] }; // a half-typed line is often wrong, and the shell shows no errors
  }
}

/** What a shell would take out of quotes and behind backslashes. */
function plain(word: string): string {
  return word.replace(/\\(.)|["']/g, '$1');
}

/** A shell passes it on as it is. */
function isHarmless(word: string): boolean {
  return /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(word);
}
