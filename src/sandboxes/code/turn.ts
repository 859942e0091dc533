import { AsyncLocalStorage } from 'node:async_hooks';
import {
  isAgentError,
  onAbort,
  reasonOf,
  timer,
  type CodeCall,
  type CodePlace,
  type CodeResult,
  type Json,
  type Limiter,
} from '../../core/index.ts';
import { createWorkClock, type WorkClock } from '../process/work-clock.ts';
import { hearPrinted, type CodeProcess } from './channel.ts';
import {
  askedFault,
  changedFault,
  codeFault,
  findCodePaths,
  lostFault,
  timeFault,
  tooLarge,
  withPrinted,
} from './errors.ts';
import { lineOf, mostAsked, mostCharacters, mostQuestions, type FromWorker } from './protocol.ts';

let runs = 0;

/** Makes one call in a process that is free. The process is ended unless it says itself that it is fit for another. */
export async function takeCodeTurn(
  code: CodeProcess,
  place: CodePlace,
  call: CodeCall,
  signal: AbortSignal,
  slot: CodeSlot,
): Promise<CodeResult> {
  const run = (runs += 1);
  const { promise, resolve, reject } = Promise.withResolvers<CodeResult['value']>();
  const trouble = () => ({ call, paths: findCodePaths(place, call.module) });
  const clock = createWorkClock(call.timeoutMs, () => reject(timeFault(trouble())));
  const questions = createCodeQuestions(call.functions, code.send, slot, clock);
  const printed = hearPrinted();
  const state = { isFit: false, isCalledOff: false, asked: 0, questions: 0, characters: 0 };

  const onMessage = (message: FromWorker, length: number): void => {
    if (message[0] === 'ready' || message[1] !== run) return onNonsense();
    switch (message[0]) {
      case 'loaded':
        if (place.isCurrent()) return code.send(lineOf(['go', run]));
        return reject(changedFault(trouble()));
      case 'call': {
        const [, , id, name, given] = message;
        if (!Object.hasOwn(call.functions, name) || id <= state.asked) return onNonsense();
        state.asked = id;
        state.questions += 1;
        state.characters += length;
        if (state.questions > mostQuestions) return reject(askedFault(trouble(), false));
        void questions.answer({ id, name, given, length });
        if (questions.length() > 4 * mostCharacters || state.characters > mostAsked)
          reject(askedFault(trouble(), true));
        return;
      }
      case 'value':
        state.isFit = message[2];
        return resolve(message[3]);
      case 'failed':
        state.isFit = message[2];
        return reject(codeFault(trouble(), message[3], message[4], message[5]));
    }
  };
  const onNonsense = (): void => {
    state.isFit = false;
    reject(lostFault(trouble(), 'nonsense', nothing, ''));
  };

  const line = lineOf([
    'run',
    run,
    call.module,
    call.name,
    call.input,
    Object.keys(call.functions),
    call.facts,
    mostCharacters,
  ]);
  if (line.length > mostCharacters + 100_000) throw tooLarge(trouble().paths.file, 'was given');
  signal.throwIfAborted();
  using _listener = onAbort(signal, () => reject(signal.reason as Error));
  const release = code.attend({
    onMessage,
    ...printed.listener,
    onLost: (loss, result) => reject(lostFault(trouble(), loss, result, printed.stderr())),
  });
  clock.start();
  code.send(line);
  try {
    const value = await promise;
    questions.end();
    await printed.settle();
    return { value, stdout: printed.stdout(), stderr: printed.stderr() };
  } catch (thrown) {
    questions.end();
    state.isCalledOff = signal.aborted;
    if (state.isCalledOff) code.endAfter(lineOf(['abort', run, 'The call was called off.']));
    else await printed.settle();
    throw state.isCalledOff ? thrown : withPrinted(thrown, printed);
  } finally {
    release();
    if (!state.isFit && !state.isCalledOff) void code.end();
  }
}

const nothing = { exitCode: null, stdout: '', stderr: '' };

/** The slot of one call among those that work; it can be left and entered again, ahead of calls that never had one. */
interface CodeSlot {
  /** Rejects with the signal's reason if that aborts first. */
  enter(signal: AbortSignal): Promise<void>;
  /** Does nothing for a slot that is not taken. */
  leave(): void;
}

/** A slot of a limiter that is not taken yet. */
export function createCodeSlot(limiter: Limiter): CodeSlot {
  let slot: Disposable | undefined;
  let wasTaken = false;
  return {
    async enter(signal) {
      slot ??= await limiter.acquire(signal, wasTaken);
      wasTaken = true;
    },
    leave() {
      slot?.[Symbol.dispose]();
      slot = undefined;
    },
  };
}

/** What a call has asked its host and waits for. */
interface CodeQuestions {
  /** Answers when the host has, and when there is a slot for the work that follows. */
  answer(question: CodeQuestion): Promise<void>;
  /** Characters of all that is not answered yet. */
  length(): number;
  /** Lets no answer through any more. */
  end(): void;
}

/** One question, with the characters that it came in. */
interface CodeQuestion {
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
function createCodeQuestions(
  functions: CodeCall['functions'],
  send: (line: string) => void,
  slot: CodeSlot,
  clock: WorkClock,
): CodeQuestions {
  const open = new Set<CodeQuestion>();
  let characters = 0;
  let leaving: Disposable | undefined;
  const over = new AbortController();
  const isOver = (): boolean => over.signal.aborted;
  const isLast = (): boolean => open.size === 1;
  return {
    async answer(question) {
      open.add(question);
      characters += question.length;
      if (isLast()) {
        clock.stop();
        leaving = timer(momentMs, slot.leave);
      }
      const line = await outcomeOf(functions, question);
      if (isOver()) return;
      if (isLast()) {
        leaving?.[Symbol.dispose]();
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
      leaving?.[Symbol.dispose]();
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

const inside = new AsyncLocalStorage<true>();

/** Does something for the code of a skill, which waits for it. */
function calledByCode<Value>(work: () => Value): Value {
  return inside.run(true, work);
}

/** Whether the code of a skill waits for what goes on here. */
export function isCalledByCode(): boolean {
  return inside.getStore() === true;
}
