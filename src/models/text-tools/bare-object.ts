import { createLikeness } from './likeness.ts';
import type { Mode, Reading } from './mode.ts';
import { createObjectEnd } from './object-end.ts';
import { callInAnswer } from './read-calls.ts';

/** In an object with which an answer begins: a call without any marks, or the answer itself. */
export function createBareObject({ known, beginnings }: Reading): Mode {
  const likeness = createLikeness(beginnings);
  const findEnd = createObjectEnd();
  let isSure = false;
  let content = '';
  return {
    take(piece) {
      const likely = isSure ? 'yes' : likeness.add(piece);
      if (likely === 'no') return { rest: content + piece, next: {} };
      isSure = likely === 'yes';
      const end = findEnd(piece);
      content += end < 0 ? piece : piece.slice(0, end);
      if (end < 0) return {};
      const rest = piece.slice(end);
      const call = callInAnswer(content, known);
      if (call === undefined) return { text: content, rest, next: { shown: content } };
      return { calls: [call], rest, next: { isFirst: true } };
    },
    end() {
      const call = callInAnswer(content, known);
      return call === undefined ? { rest: content, next: {} } : { calls: [call] };
    },
  };
}
