import { longestText, tooLong, type Cutter, type TakeText } from './cutter.ts';

/** Cuts a text into its lines; those with nothing in them are left out. */
export function createLineCutter(shown: string, take: TakeText): Cutter {
  let line = 1;
  let kept = '';
  const finish = (text: string): void => {
    if (text.trim() !== '') take(text, line);
    line += 1;
  };
  return {
    push(piece) {
      const [first = '', ...more] = piece.split('\n');
      kept += first;
      for (const next of more) {
        finish(kept);
        kept = next;
      }
      if (kept.length > longestText) throw tooLong(shown, line);
    },
    end: () => finish(kept),
  };
}
