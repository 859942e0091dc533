import { closesFence } from '../../core/model/answer-text.ts';
import { firstLine, type Mode } from './mode.ts';

/** In an ordinary block, where everything is text: what a model quotes there is no call. */
export function createFence(marks: string): Mode {
  let line = '';
  return {
    take(piece) {
      const [text, rest] = firstLine(piece);
      line += text;
      if (!text.endsWith('\n')) return { text, rest };
      const isClosed = closesFence(line, marks);
      line = '';
      return isClosed ? { text, rest, next: {} } : { text, rest };
    },
    end: () => ({}),
  };
}
