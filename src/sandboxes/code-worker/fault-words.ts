import { taken } from './taken.ts';

const mostMessage = 4000;
const mostStack = 8000;

/** What is said of something that was thrown, whatever it is: its words, and where it says it comes from. */
export function faultWords(thrown: unknown): { readonly message: string; readonly stack: string } {
  try {
    if (typeof thrown !== 'object' || thrown === null)
      return { message: cut(thrown, mostMessage), stack: '' };
    const { name, message, stack } = thrown as Partial<Record<'name' | 'message' | 'stack', unknown>>;
    const kind = typeof name === 'string' && name !== '' && name !== 'Error' ? `${name}: ` : '';
    const words = typeof message === 'string' && message !== '' ? message : undefined;
    return {
      message: cut(words === undefined ? (taken.stringify(thrown) ?? '') : `${kind}${words}`, mostMessage),
      stack: typeof stack === 'string' ? cut(stack, mostStack) : '',
    };
  } catch {
    return { message: 'something that cannot be read', stack: '' }; // asking it threw again
  }
}

function cut(value: unknown, most: number): string {
  return taken.slice(taken.text(value), 0, most);
}
