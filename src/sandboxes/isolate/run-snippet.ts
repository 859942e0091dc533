import type Ivm from 'isolated-vm';
import { reasonOf } from '../../core/crash-reason.ts';
import { startWorkingTime, type WorkingTime } from '../process/work-clock.ts';
import { isolatePrelude } from './prelude.ts';
import type { FromIsolate, SnippetFailure, SnippetOrder } from './protocol.ts';

/** A snippet that has started. */
export interface RunningSnippet {
  /** Answers a call of the snippet. `text` is the value as JSON or, with `isFault`, an error message. */
  answer(id: number, text: string, isFault: boolean): void;
}

interface Controls {
  begin(main: unknown, input: string): void;
  answer(id: number, text: string, isFault: boolean): void;
}

type Said =
  | readonly [kind: 'call', id: number, name: string, given: string]
  | readonly [kind: 'value' | 'nothing' | 'output' | 'threw', text: string, stack: string, log: string];

/**
 * Runs a snippet in its own isolate and reports the result once. If the snippet runs out of memory, ends
 * the whole process, because the isolate may no longer be usable.
 */
export function runInIsolate(
  ivm: typeof Ivm,
  order: SnippetOrder,
  say: (message: FromIsolate) => void,
  endProcess: () => void,
): RunningSnippet {
  let isOver = false;
  let awaited = 1; // Counts the main function and the calls whose answers are not processed yet.
  let entered: Promise<void> = Promise.resolve();

  // The snippet must stop before its result is reported. If it does not stop, the host ends this process.
  const finish = async (message: FromIsolate): Promise<void> => {
    if (isOver) return;
    isOver = true;
    if (!isolate.isDisposed) isolate.dispose();
    await entered;
    watch.stop();
    say(message);
  };
  const fail = (failed: SnippetFailure, log = ''): void => void finish({ failed, log });
  const failForMemory = (): void => {
    say({ failed: { kind: 'memory' }, log: '' });
    endProcess();
  };

  const isolate = new ivm.Isolate({
    memoryLimit: Math.ceil(order.memoryBytes / 2 ** 20),
    onCatastrophicError: failForMemory,
  });
  const isLost = (): boolean => isolate.isDisposed && !isOver;
  const watch = watchSnippet(order, isLost, () => fail({ kind: 'time' }), failForMemory);

  const hear = (...said: Said): void => {
    if (isOver) return;
    if (said[0] === 'call') {
      const [, id, name, given] = said;
      awaited += 1;
      watch.pause();
      return say({ call: id, name, given });
    }
    const [kind, text, stack, log] = said;
    if (kind === 'value') void finish({ value: text, log });
    else if (kind === 'nothing') void finish({ value: text, isEmpty: true, log });
    else fail({ kind, message: text, ...lineOfStack(stack) }, log);
  };
  const context = isolate.createContextSync();
  const controls = context.evalClosureSync(
    isolatePrelude,
    [new ivm.Callback(hear, { ignored: true }), JSON.stringify(order.names), order.maxOutput, order.maxCalls],
    { result: { reference: true } },
  ) as Ivm.Reference<Controls>;
  const begin = controls.getSync('begin', { reference: true });
  const answer = controls.getSync('answer', { reference: true });

  const enter = async (entry: () => Promise<unknown>): Promise<void> => {
    try {
      await entry();
    } catch {
      if (isOver) return;
      if (isLost()) failForMemory();
      // Any other error is a rejection that the snippet did not handle, which is allowed.
    }
    awaited -= 1;
    if (awaited === 0) fail({ kind: 'waits' });
  };
  const compile = async (): Promise<Ivm.Script> => {
    try {
      return await isolate.compileScript(`(async function (input) {${order.code}\n})`, {
        filename: 'snippet',
      });
    } catch (thrown) {
      if (!isLost()) fail(syntaxFailure(thrown, order.code));
      throw thrown;
    }
  };

  entered = enter(async () => {
    const script = await compile();
    const main = await script.run(context, { reference: true });
    await begin.apply(undefined, [main.derefInto(), order.input]);
  });
  return {
    answer(id, text, isFault) {
      if (isOver) return;
      watch.go();
      entered = enter(() => answer.apply(undefined, [id, text, isFault]));
    },
  };
}

const everyMs = 10;
const slackBytes = 32 * 2 ** 20;

/**
 * Watches the time and the memory of a snippet, and reports when either limit is reached. The clock stops
 * while the snippet waits for the host. An isolate's own limit does not cover growable buffers and the
 * engine's memory, so the process is measured too. The process may grow by about twice the limit.
 */
function watchSnippet(
  { timeoutMs, memoryBytes }: SnippetOrder,
  /** Returns whether the isolate has ended because it exceeded its memory limit. */
  isLost: () => boolean,
  onTimeUp: () => void,
  onMemoryUsed: () => void,
): WorkingTime {
  const maxResident = process.memoryUsage.rss() + 2 * memoryBytes + slackBytes;
  const look = setInterval(() => {
    if (isLost() || process.memoryUsage.rss() > maxResident) onMemoryUsed();
  }, everyMs);
  const time = startWorkingTime(timeoutMs, () => (isLost() ? onMemoryUsed() : onTimeUp()));
  return {
    ...time,
    stop() {
      clearInterval(look);
      time.stop();
    },
  };
}

/** Creates the failure for a snippet with a syntax error. `thrown` is the engine's error. */
function syntaxFailure(thrown: unknown, code: string): SnippetFailure {
  const message = reasonOf(thrown);
  const match = / \[snippet:(\d+):\d+\]$/.exec(message);
  // The last line of the snippet. The engine can report a later line, which does not belong to the snippet.
  const last = code.split('\n').length;
  return {
    kind: 'syntax',
    message: match === null ? message : message.slice(0, match.index),
    ...(match === null ? {} : { line: Math.min(Number(match[1]), last) }),
  };
}

/** Finds the first line number of the snippet in a stack trace. */
function lineOfStack(stack: string): { readonly line?: number } {
  const match = /^ +at .*\bsnippet:(\d{1,7}):\d+/m.exec(stack);
  return match === null ? {} : { line: Number(match[1]) };
}
