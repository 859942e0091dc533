import { setTimeout as wait } from 'node:timers/promises';

/** Long enough for a terminal to hand over what lies ready; nobody notices it. */
const milliseconds = 40;

/** Throws away what was typed before now: a key that was meant for something else decides nothing. */
export async function forgetTyped(input: NodeJS.ReadableStream): Promise<void> {
  const drop = (): void => undefined;
  input.on('data', drop);
  await wait(milliseconds);
  input.off('data', drop);
  input.pause();
}
