import type { CodeCall, CodePlace, CodeResult } from '../core/code.ts';
import type { CodeProcess } from './code-channel.ts';
import {
  askedFault,
  changedFault,
  codeFault,
  lostFault,
  timeFault,
  tooLarge,
  withPrinted,
} from './code-fault.ts';
import { mostAsked, mostCharacters, mostQuestions } from './code-limits.ts';
import { findCodePaths } from './code-paths.ts';
import { createCodeQuestions } from './code-questions.ts';
import { hearPrinted } from './code-printed.ts';
import type { CodeSlot } from './code-slot.ts';
import { lineOf, type FromWorker } from './code-wire.ts';
import { createWorkClock } from './work-clock.ts';

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
  const onAbort = (): void => reject(signal.reason as Error);

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
  signal.addEventListener('abort', onAbort, { once: true });
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
    signal.removeEventListener('abort', onAbort);
    release();
    if (!state.isFit && !state.isCalledOff) void code.end();
  }
}

const nothing = { exitCode: null, stdout: '', stderr: '' };
