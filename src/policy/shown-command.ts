import { isJsonObject, type Json } from '../core/json.ts';
import { visible } from '../core/text.ts';

/** The command in the input of a skill that runs processes; the whole input as JSON where it has none. */
export function commandIn(input: Json): string {
  const command = isJsonObject(input) ? input['command'] : undefined;
  return typeof command === 'string' ? command : JSON.stringify(input);
}

const mostShown = 200; // characters

/** A command on one line: what cannot be seen is spelled out, and what is left out is said. */
export function shownCommand(command: string): string {
  const shown = visible(command);
  if (shown.length <= mostShown) return shown;
  const rest = shown.length - mostShown;
  return `${shown.slice(0, mostShown)}… (${rest.toLocaleString('en')} more characters)`.toWellFormed();
}
