import { closesFence } from '../../core/model/answer-text.ts';
import { createFence } from './fence.ts';
import { createLikeness } from './likeness.ts';
import { firstLine, type Mode, type Reading, type Taken } from './mode.ts';
import type { Opening } from './opening.ts';
import { callInAnswer, callsInBlock } from './read-calls.ts';

/** In a block that is a call, or that may be one: then it is held as long as it looks like one. */
export function createBlock({ known, beginnings }: Reading, { kind, marks, head }: Opening): Mode {
  const likeness = createLikeness(beginnings);
  let isSure = kind === 'call';
  let content = '';
  let line = '';

  const finish = (text: string): Taken => {
    if (kind === 'call') return { calls: callsInBlock(text) };
    const call = callInAnswer(text, known);
    return call === undefined ? { text: head + content + line } : { calls: [call] };
  };

  return {
    take(piece) {
      const [part, rest] = firstLine(piece);
      line += part;
      const likely = isSure ? 'yes' : likeness.add(part);
      if (likely === 'no') {
        const next = head.endsWith('\n') ? createFence(marks) : { shown: head };
        return { text: head, rest: content + line + rest, next };
      }
      isSure = likely === 'yes';
      if (!part.endsWith('\n')) return { rest };
      const last = lastOf(line, marks);
      if (last !== undefined) return { ...finish(content + last), rest, next: {} };
      content += line;
      line = '';
      return { rest };
    },
    end: () => finish(content + (lastOf(line, marks) ?? line)),
  };
}

/** What a line that closes the block adds to it: nothing, or what stands before the marks up to the last bracket. */
function lastOf(line: string, marks: string): string | undefined {
  if (closesFence(line, marks)) return '';
  const bare = line.trimEnd();
  const before = bare.endsWith(marks) ? bare.slice(0, -marks.length).trimEnd() : '';
  return before.endsWith('}') ? before : undefined;
}
