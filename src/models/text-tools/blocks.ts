import { closesFence } from '../../core/index.ts';
import { createLikeness, firstLine, type Mode, type AnswerReading, type Taken } from './mode.ts';
import { callInAnswer, callsInBlock } from './parse-calls.ts';

/**
 * Creates the parser mode for a JSON object at the start of an answer. The object is a call without a fence,
 * or the answer itself.
 */
export function createBareObject({ known, beginnings }: AnswerReading): Mode {
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

/**
 * Creates the parser mode for a block that may be a call. Buffers the block until it is clear whether the
 * block is a call.
 */
export function createBlock({ known, beginnings }: AnswerReading, { kind, marks, head }: Opening): Mode {
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

/**
 * Returns the text before the closing fence in a line: an empty string, or text that ends with `}`. Returns
 * undefined if the line does not close the block.
 */
function lastOf(line: string, marks: string): string | undefined {
  if (closesFence(line, marks)) return '';
  const bare = line.trimEnd();
  const before = bare.endsWith(marks) ? bare.slice(0, -marks.length).trimEnd() : '';
  return before.endsWith('}') ? before : undefined;
}

/** Creates the parser mode for an ordinary code block. The block is text, even if it quotes a call. */
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

/**
 * Returns a function that finds the end of a JSON object that arrives in chunks. For each chunk, it returns
 * the index after the object's end, or -1 if the object continues.
 */
function createObjectEnd(): (piece: string) => number {
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  return (piece) => {
    for (let index = 0; index < piece.length; index++) {
      const character = piece.charAt(index);
      if (isEscaped) isEscaped = false;
      else if (inText) {
        if (character === '\\') isEscaped = true;
        else if (character === '"') inText = false;
      } else if (character === '"') inText = true;
      else if (character === '{') depth++;
      else if (character === '}' && --depth === 0) return index + 1;
    }
    return -1;
  };
}

/** The opening fence or tag of a block that may be a call. */
export interface Opening {
  /**
   * The kind of block. `call` is always a call and `json` may be a call. `result` is a tool result that the
   * model invented after its own call.
   */
  readonly kind: 'call' | 'json' | 'result';
  /** The backticks or tildes of the fence, as written. */
  readonly marks: string;
  /** The text of the block before its content. */
  readonly head: string;
}

const kinds: Readonly<Record<string, Opening['kind']>> = {
  call: 'call',
  tool_call: 'call',
  json: 'json',
  '': 'json',
  result: 'result',
};

const begun = /^[ \t]{0,16}(?:`{0,2}|~{0,2})$/;
const marked = /^[ \t]{0,16}(`{3,32}|~{3,32})[ \t]{0,4}(\w{0,10})/;

/**
 * Parses the opening of a block at the start of a line, including its line break. Returns undefined if the
 * line opens no block, and `maybe` if more of the line is needed.
 */
export function openingOf(line: string): Opening | 'maybe' | undefined {
  const [head, marks = '', label = ''] = marked.exec(line) ?? [];
  if (head === undefined) return begun.test(line) ? 'maybe' : undefined;
  const tag = label.toLowerCase();
  const after = line.slice(head.length);
  if (after === '') return Object.keys(kinds).some((known) => known.startsWith(tag)) ? 'maybe' : undefined;
  const kind = Object.hasOwn(kinds, tag) ? kinds[tag] : undefined;
  if (kind === undefined || !/^[\s{]/.test(after)) return undefined;
  return { kind, marks, head: head + (after.startsWith('\n') ? '\n' : '') };
}

/** The tag that some models write before a call. */
export const openTag = '<tool_call>';
const closeTag = '</tool_call>';

/** Creates the parser mode after an opening tag. If no JSON object follows, the tag is plain text. */
export function createTagged(): Mode {
  let isSure = false;
  let content = '';
  let tail = ''; // Buffered text that may be the start of the closing tag.
  return {
    take(piece) {
      const start = isSure ? '{' : piece.trimStart().charAt(0);
      if (start !== '' && start !== '{') {
        return { text: openTag, rest: content + tail + piece, next: { shown: openTag } };
      }
      isSure = start === '{';
      const fresh = tail + piece;
      const at = fresh.indexOf(closeTag);
      if (at >= 0) {
        const calls = callsInBlock(content + fresh.slice(0, at));
        return { calls, rest: fresh.slice(at + closeTag.length), next: { shown: closeTag } };
      }
      const cut = Math.max(0, fresh.length - closeTag.length + 1);
      content += fresh.slice(0, cut);
      tail = fresh.slice(cut);
      return {};
    },
    end: () => (isSure ? { calls: callsInBlock(content + tail) } : { text: openTag + content + tail }),
  };
}
