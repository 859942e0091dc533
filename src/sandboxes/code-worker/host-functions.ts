import { findJsonFault } from './json-fault.ts';
import { say } from './say.ts';
import { taken } from './taken.ts';

/** The functions of the host, as one call has them. */
export interface HostFunctions {
  /** By name; each gives a promise, and never throws. */
  readonly all: Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>;
  answer(call: number, value: unknown): void;
  refuse(call: number, message: string, code: string): void;
  /** Lets nobody ask any more. */
  end(): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

let calls = 0;

/** Functions that ask the host, each question of at most so many characters. */
export function createHostFunctions(run: number, names: readonly string[], most: number): HostFunctions {
  let waiting = Object.create(null) as Record<number, Waiting>;
  let isOver = false;

  const ask = (name: string, given: readonly unknown[], waits: Waiting): void => {
    if (isOver) return waits.reject(faultOf(`${name} was called after the end of the call.`, 'skill.failed'));
    const fault = findJsonFault(given);
    if (fault !== undefined)
      return waits.reject(
        faultOf(`${name} was given something that is not JSON: ${fault}.`, 'usage.bad-input'),
      );
    const text = taken.stringify(given) ?? '[]';
    if (text.length > most)
      return waits.reject(faultOf(`${name} was given more than ${most} characters.`, 'limit.too-large'));
    calls += 1;
    waiting[calls] = waits;
    say(`["call",${run},${calls},${taken.stringify(name) ?? '""'},${text}]`);
  };
  const settle = (call: number, how: (waits: Waiting) => void): void => {
    const waits = waiting[call];
    if (waits === undefined) return;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the object has no prototype, and nothing else in it
    delete waiting[call];
    how(waits);
  };
  const functionOf =
    (name: string) =>
    (...given: unknown[]): Promise<unknown> => {
      const promise = new Promise<unknown>((resolve, reject) => {
        try {
          ask(name, trimmed(given), { resolve, reject });
        } catch {
          reject(faultOf(`${name} was given something that cannot be read.`, 'usage.bad-input'));
        }
      });
      void taken.then(promise, undefined, () => undefined); // what nobody waits for may fail
      return promise;
    };

  let all: HostFunctions['all'] = {};
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] ?? '';
    all = { ...all, [name]: functionOf(name) };
  }
  return {
    all,
    answer: (call, value) => settle(call, ({ resolve }) => resolve(value)),
    refuse: (call, message, code) => settle(call, ({ reject }) => reject(faultOf(message, code))),
    end() {
      isOver = true;
      waiting = Object.create(null) as Record<number, Waiting>;
    },
  };
}

/** Without what was left out at the end. */
function trimmed(given: unknown[]): readonly unknown[] {
  while (given.length > 0 && given[given.length - 1] === undefined) given.length -= 1;
  return given;
}

function faultOf(message: string, code: string): Error {
  const fault = new taken.Fault(message) as Error & { code?: string };
  fault.code = code;
  return fault;
}
