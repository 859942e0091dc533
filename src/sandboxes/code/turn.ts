import { AsyncLocalStorage } from 'node:async_hooks';
import {
  isAgentError,
  onAbort,
  reasonOf,
  timer,
  type CodeCall,
  type CodeContext,
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
import { lineOf, maxAsked, maxCharacters, maxQuestions, type FromWorker } from './protocol.ts';

let runs = 0;

/**
 * Makes one call in an idle process. Ends the process afterwards, unless it reports that it can take another
 * call.
 */
export async function takeCodeTurn(
  code: CodeProcess,
  context: CodeContext,
  call: CodeCall,
  signal: AbortSignal,
  slot: CodeSlot,
): Promise<CodeResult> {
  const run = (runs += 1);
  const { promise, resolve, reject } = Promise.withResolvers<CodeResult['value']>();
  const trouble = () => ({ call, paths: findCodePaths(context, call.module) });
  const clock = createWorkClock(call.timeoutMs, () => reject(timeFault(trouble())));
  const questions = createCodeQuestions(call.functions, code.send, slot, clock);
  const printed = hearPrinted();
  const state = { isFit: false, isCalledOff: false, asked: 0, questions: 0, characters: 0 };

  const onMessage = (message: FromWorker, length: number): void => {
    if (message[0] === 'ready' || message[1] !== run) return onNonsense();
    switch (message[0]) {
      case 'loaded':
        if (context.isCurrent()) return code.send(lineOf(['go', run]));
        return reject(changedFault(trouble()));
      case 'call': {
        const [, , id, name, given] = message;
        if (!Object.hasOwn(call.functions, name) || id <= state.asked) return onNonsense();
        state.asked = id;
        state.questions += 1;
        state.characters += length;
        if (state.questions > maxQuestions) return reject(askedFault(trouble(), false));
        void questions.answer({ id, name, given, length });
        if (questions.length() > 4 * maxCharacters || state.characters > maxAsked)
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
    maxCharacters,
  ]);
  if (line.length > maxCharacters + 100_000) throw tooLarge(trouble().paths.file, 'was given');
  signal.throwIfAborted();
  using _listener = onAbort(signal, () => reject(signal.reason as Error));
  const release = code.listen({
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
    if (state.isCalledOff) code.endAfter(lineOf(['abort', run, 'The call was cancelled.']));
    else await printed.settle();
    throw state.isCalledOff ? thrown : withPrinted(thrown, printed);
  } finally {
    release();
    if (!state.isFit && !state.isCalledOff) void code.end();
  }
}

const nothing = { exitCode: null, stdout: '', stderr: '' };

/** The slot that a call needs to run. A call that takes its slot again has priority over new calls. */
interface CodeSlot {
  /** Waits for the slot and takes it. If the signal aborts first, rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<void>;
  /** Releases the slot. Does nothing if the slot is not taken. */
  leave(): void;
}

/**
 * Creates the slot of a call without taking it. The limiter determines how many slots can be taken at the
 * same time.
 */
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

/** A call's requests that its host has not answered yet. */
interface CodeQuestions {
  /** Handles a request. Sends the answer when the result is available and the call has its slot again. */
  answer(question: CodeQuestion): Promise<void>;
  /** Returns the size of all unanswered requests together, in characters. */
  length(): number;
  /** Stops sending answers. */
  end(): void;
}

/** One request and its size in characters. */
interface CodeQuestion {
  readonly id: number;
  readonly name: string;
  readonly given: readonly Json[];
  readonly length: number;
}

const momentMs = 2; // The time within which most small requests are answered, in milliseconds.

/**
 * Creates the request list of a call. While the call waits for its host, its clock stops and other calls can
 * use its slot. If the call has several open requests, it takes its slot again when the last result is
 * available.
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
        // Taking the slot fails only if the call has ended.
        await slot.enter(over.signal).catch(() => undefined);
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
    if (line.length <= maxCharacters + 100) return line;
    const message = `${name} returned more than ${maxCharacters} characters.`;
    return lineOf(['refuse', id, message, 'limit.too-large']);
  } catch (thrown) {
    const code = isAgentError(thrown) ? thrown.code : 'internal.bug';
    return lineOf(['refuse', id, reasonOf(thrown), code]);
  }
}

const inside = new AsyncLocalStorage<true>();

/** Runs a function. While it runs, `isCalledByCode` returns true in all code that it calls. */
function calledByCode<Value>(work: () => Value): Value {
  return inside.run(true, work);
}

/** Returns whether the caller is handling a request from skill code, which is waiting for the answer. */
export function isCalledByCode(): boolean {
  return inside.getStore() === true;
}
