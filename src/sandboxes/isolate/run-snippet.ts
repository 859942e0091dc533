import type Ivm from 'isolated-vm';
import { reasonOf } from '../../core/error.ts';
import { startWorkingTime, type WorkingTime } from '../process/work-clock.ts';
import { isolatePrelude } from './prelude.ts';
import type { FromIsolate, SnippetFailure, SnippetOrder } from './protocol.ts';

/** A snippet that has begun. */
export interface RunningSnippet {
  /** Gives it what a function came to: a value as JSON, or the words of a fault. */
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
 * Runs a snippet in an isolate of its own and says what it came to, once. When memory ran out the process is ended as
 * well: such an isolate may be beyond control.
 */
export function runInIsolate(
  ivm: typeof Ivm,
  order: SnippetOrder,
  say: (message: FromIsolate) => void,
  endProcess: () => void,
): RunningSnippet {
  let isOver = false;
  let awaited = 1; // its own beginning, and every call until its answer has been taken in
  let entered: Promise<void> = Promise.resolve();

  // Nothing of it runs any more when that is said; where it does not stop, the host ends this process.
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
    [
      new ivm.Callback(hear, { ignored: true }),
      JSON.stringify(order.names),
      order.mostOutput,
      order.mostCalls,
    ],
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
      // anything else is a rejection that the snippet left alone, as it may
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
 * Says when the time of a snippet is up, and when its memory is used up, until it is stopped. While it waits for the host,
 * its time stands still. An isolate counts neither buffers that can grow nor what the engine needs for itself, so the whole
 * process may grow by no more than twice the limit.
 */
function watchSnippet(
  { timeoutMs, memoryBytes }: SnippetOrder,
  /** Whether the isolate went at a limit of its own. */
  isLost: () => boolean,
  onTimeUp: () => void,
  onMemoryUsed: () => void,
): WorkingTime {
  const mostResident = process.memoryUsage.rss() + 2 * memoryBytes + slackBytes;
  const look = setInterval(() => {
    if (isLost() || process.memoryUsage.rss() > mostResident) onMemoryUsed();
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

/** What the engine has against the text of a snippet. */
function syntaxFailure(thrown: unknown, code: string): SnippetFailure {
  const message = reasonOf(thrown);
  const place = / \[snippet:(\d+):\d+\]$/.exec(message);
  const last = code.split('\n').length; // the line after it is not of the snippet
  return {
    kind: 'syntax',
    message: place === null ? message : message.slice(0, place.index),
    ...(place === null ? {} : { line: Math.min(Number(place[1]), last) }),
  };
}

/** The line of the snippet at which a stack begins, where it says so. */
function lineOfStack(stack: string): { readonly line?: number } {
  const place = /^ +at .*\bsnippet:(\d{1,7}):\d+/m.exec(stack);
  return place === null ? {} : { line: Number(place[1]) };
}
