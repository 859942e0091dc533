import { AgentError } from '../../../core/index.ts';
import { longestText, notJson, tooLong, type Cutter, type TakeText } from './cutter.ts';

/** Cuts a JSON list into the texts of its elements, without reading these; throws `usage.bad-input` for what is no list. */
export function createListCutter(shown: string, take: TakeText): Cutter {
  let place: 'before' | 'inside' | 'after' = 'before';
  let line = 1;
  let begun = 0; // the line of the element, once something of it was seen
  let kept = ''; // the element as far as earlier pieces had it
  let depth = 0;
  let count = 0;
  let isText = false;
  let isEscaped = false;

  const finish = (text: string): void => {
    if (begun === 0) throw notJson(shown, line);
    take(text, begun);
    [begun, kept, count] = [0, '', count + 1];
  };

  /** What one character does outside of the elements; true when it ends one. */
  const step = (letter: string): boolean => {
    if (place !== 'inside') {
      if (letter.trim() === '') return false;
      if (place === 'after' || letter !== '[') throw notJson(shown, line);
      place = 'inside';
      return false;
    }
    if (depth === 0 && (letter === ',' || letter === ']')) {
      if (letter === ']') place = 'after';
      return letter === ',' || begun !== 0 || count > 0;
    }
    if (letter === '"') isText = true;
    else if (letter === '[' || letter === '{') depth += 1;
    else if (letter === ']' || letter === '}') depth = Math.max(0, depth - 1);
    if (begun === 0 && letter.trim() !== '') begun = line;
    return false;
  };

  return {
    push(piece) {
      let start = place === 'inside' ? 0 : -1;
      for (let at = 0; at < piece.length; at += 1) {
        const letter = piece.charAt(at);
        if (letter === '\n') line += 1;
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (letter === '\\') isEscaped = true;
          else if (letter === '"') isText = false;
          continue;
        }
        const before = place;
        if (step(letter)) {
          finish(kept + piece.slice(start, at));
          start = at + 1;
        } else if (before === 'before' && place === 'inside') start = at + 1;
      }
      if (place !== 'inside') return;
      kept += piece.slice(start);
      if (kept.length > longestText) throw tooLong(shown, begun);
    },
    end() {
      if (place === 'after') return;
      throw new AgentError('usage.bad-input', `"${shown}" ends inside its list, on line ${line}.`, {
        hint: 'Perhaps it was cut off: make it anew.',
        details: { line },
      });
    },
  };
}
