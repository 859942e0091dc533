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
    const said = words === undefined ? taken.stringify(thrown) : `${kind}${words}${causeOf(thrown, words)}`;
    return {
      message: cut(said ?? '', mostMessage),
      stack: typeof stack === 'string' ? cut(stack, mostStack) : '',
    };
  } catch {
    return { message: 'something that cannot be read', stack: '' }; // asking it threw again
  }
}

/** Why it came to that, where it says so and has not said it yet: of a failed fetch that is all there is to know. */
function causeOf(thrown: { readonly cause?: unknown }, words: string): string {
  const { cause } = thrown;
  if (typeof cause !== 'object' || cause === null) return '';
  const { message, code } = cause as Partial<Record<'message' | 'code', unknown>>;
  const why = typeof message === 'string' && message !== '' ? message : code;
  return typeof why === 'string' && taken.indexOf(words, why) < 0 ? `: ${why}` : '';
}

function cut(value: unknown, most: number): string {
  return taken.slice(taken.text(value), 0, most);
}
