import { AgentError } from '../../../core/index.ts';
import { longestText, notJson, tooLong, type Cutter, type TakeText } from './cutter.ts';

/**
 * Splits a JSON list into the text of each element without parsing it. Throws `usage.bad-input` if the text
 * is not a list.
 */
export function createListCutter(shown: string, take: TakeText): Cutter {
  let position: 'before' | 'inside' | 'after' = 'before';
  let line = 1;
  let begun = 0; // The line where the current element starts, or 0 between elements.
  let pending = ''; // The start of the current element, buffered from earlier chunks.
  let depth = 0;
  let count = 0;
  let isText = false;
  let isEscaped = false;

  const finish = (text: string): void => {
    if (begun === 0) throw notJson(shown, line);
    take(text, begun);
    [begun, pending, count] = [0, '', count + 1];
  };

  /** Handles one character outside a quoted string. Returns true if it ends an element. */
  const step = (char: string): boolean => {
    if (position !== 'inside') {
      if (char.trim() === '') return false;
      if (position === 'after' || char !== '[') throw notJson(shown, line);
      position = 'inside';
      return false;
    }
    if (depth === 0 && (char === ',' || char === ']')) {
      if (char === ']') position = 'after';
      return char === ',' || begun !== 0 || count > 0;
    }
    if (char === '"') isText = true;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth = Math.max(0, depth - 1);
    if (begun === 0 && char.trim() !== '') begun = line;
    return false;
  };

  return {
    push(piece) {
      let start = position === 'inside' ? 0 : -1;
      for (let at = 0; at < piece.length; at += 1) {
        const char = piece.charAt(at);
        if (char === '\n') line += 1;
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (char === '\\') isEscaped = true;
          else if (char === '"') isText = false;
          continue;
        }
        const before = position;
        if (step(char)) {
          finish(pending + piece.slice(start, at));
          start = at + 1;
        } else if (before === 'before' && position === 'inside') start = at + 1;
      }
      if (position !== 'inside') return;
      pending += piece.slice(start);
      if (pending.length > longestText) throw tooLong(shown, begun);
    },
    end() {
      if (position === 'after') return;
      throw new AgentError('usage.bad-input', `"${shown}" ends on line ${line}, before its list is closed.`, {
        hint: 'The file may be incomplete: create it again.',
        details: { line },
      });
    },
  };
}
