import { isAgentError, reasonOf } from '../core/error.ts';
import type { CodeCall } from '../core/code.ts';
import type { Json } from '../core/json.ts';
import { calledByCode } from './called-by-code.ts';
import { mostCharacters } from './code-limits.ts';
import type { CodeSlot } from './code-slot.ts';
import { lineOf } from './code-wire.ts';
import type { WorkClock } from './work-clock.ts';

/** What a call has asked its host and waits for. */
export interface CodeQuestions {
  /** Answers when the host has, and when there is a slot for the work that follows. */
  answer(question: CodeQuestion): Promise<void>;
  /** Characters of all that is not answered yet. */
  length(): number;
  /** Lets no answer through any more. */
  end(): void;
}

/** One question, with the characters that it came in. */
export interface CodeQuestion {
  readonly id: number;
  readonly name: string;
  readonly given: readonly Json[];
  readonly length: number;
}

const momentMs = 2; // in which most small questions are answered

/**
 * While a call waits for anything, its clock stands and its slot is free for others, such as the call that it waits for.
 * One that has several questions open counts as waiting until the last is answered.
 */
export function createCodeQuestions(
  functions: CodeCall['functions'],
  send: (line: string) => void,
  slot: CodeSlot,
  clock: WorkClock,
): CodeQuestions {
  const open = new Set<CodeQuestion>();
  let characters = 0;
  let yielding: NodeJS.Timeout | undefined;
  const over = new AbortController();
  const isOver = (): boolean => over.signal.aborted;
  const isLast = (): boolean => open.size === 1;
  return {
    async answer(question) {
      open.add(question);
      characters += question.length;
      if (isLast()) {
        clock.stop();
        yielding = setTimeout(slot.leave, momentMs);
      }
      const line = await outcomeOf(functions, question);
      if (isOver()) return;
      if (isLast()) {
        clearTimeout(yielding);
        await slot.enter(over.signal).catch(() => undefined); // it is over
        if (isOver() || !isLast()) slot.leave();
      }
      if (isOver()) return;
      open.delete(question);
      characters -= question.length;
      if (open.size === 0) clock.start();
      send(line);
    },
    length: () => characters,
    end() {
      over.abort();
      clearTimeout(yielding);
      clock.stop();
      slot.leave();
    },
  };
}

async function outcomeOf(
  functions: CodeCall['functions'],
  { id, name, given }: CodeQuestion,
): Promise<string> {
  try {
    const value = await calledByCode(async () => functions[name]?.(given));
    const line = lineOf(['answer', id, value ?? null]);
    if (line.length <= mostCharacters + 100) return line;
    const message = `${name} gave more than ${mostCharacters} characters.`;
    return lineOf(['refuse', id, message, 'limit.too-large']);
  } catch (thrown) {
    const code = isAgentError(thrown) ? thrown.code : 'internal.bug';
    return lineOf(['refuse', id, reasonOf(thrown), code]);
  }
}
