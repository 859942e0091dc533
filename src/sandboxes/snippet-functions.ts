import { AsyncLocalStorage } from 'node:async_hooks';
import { reasonOf } from '../core/error.ts';
import { parseJson, type Json } from '../core/json.ts';
import type { Snippet } from '../core/code.ts';

const inside = new AsyncLocalStorage<true>();

/** Whether the code that asks was called by a snippet, which waits for it. */
export function isCalledBySnippet(): boolean {
  return inside.getStore() === true;
}

/** What a call came to: a value as JSON, or the words of a fault. */
export interface FunctionAnswer {
  readonly text: string;
  readonly isFault: boolean;
}

/** Lets a snippet call the functions that it was given and no others; only the words of what they throw are given to it. */
export function lendFunctions(
  functions: Snippet['functions'] = {},
): (name: string, given: string) => Promise<FunctionAnswer> {
  return async (name, given) => {
    try {
      if (!Object.hasOwn(functions, name)) throw new Error(`${name} cannot be called.`);
      const words = parseJson(given);
      if (!Array.isArray(words)) throw new Error(`${name} was given something that is not JSON.`);
      const value = await inside.run(true, async () => functions[name]?.(...(words as Json[])));
      return { text: asJson(name, value), isFault: false };
    } catch (thrown) {
      return { text: reasonOf(thrown), isFault: true };
    }
  };
}

function asJson(name: string, value: unknown): string {
  const text = JSON.stringify(value ?? null) as string | undefined;
  if (text === undefined) throw new Error(`${name} returned something that is not JSON.`);
  return text;
}
