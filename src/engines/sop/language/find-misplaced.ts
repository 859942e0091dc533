import { tagOf } from './heredoc.ts';
import { readGuard } from './read-guard.ts';
import type { Token } from './read-tokens.ts';
import { warningAt } from '../sop-issue.ts';
import type { SopIssue } from '../sop-issue.ts';

/** Words of a step that are text, but would mean more if they stood last on their line. */
export function findMisplaced(tokens: readonly Token[]): readonly SopIssue[] {
  return tokens.flatMap(({ argument, isBare }, index) => {
    if (!isBare || argument.kind !== 'text') return [];
    const isOpener = tagOf(argument.text, 'begin') !== undefined;
    if (!isOpener && readGuard(tokens, index) === undefined) return [];
    return [
      warningAt(
        argument.place,
        'sop.not-last',
        `"${argument.text}" is text here, because more follows on its line.`,
        isOpener
          ? 'Put it last or on the next line to begin a text with it, or in quotes.'
          : 'Put the guard last, and a text that follows on the next line; or put the word in quotes.',
      ),
    ];
  });
}
