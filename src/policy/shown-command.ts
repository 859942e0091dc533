import { isJsonObject, type Json } from '../core/json.ts';

/** The command in the input of a skill that runs processes; the whole input as JSON where it has none. */
export function commandIn(input: Json): string {
  const command = isJsonObject(input) ? input['command'] : undefined;
  return typeof command === 'string' ? command : JSON.stringify(input);
}

const mostShown = 200; // characters

/** A command on one line: what cannot be seen is spelled out, and what is left out is said. */
export function shownCommand(command: string): string {
  const visible = command.replace(unseen, (letter) => {
    if (letter === '\n') return '\\n';
    return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;
  });
  if (visible.length <= mostShown) return visible;
  const rest = visible.length - mostShown;
  return `${visible.slice(0, mostShown)}… (${rest.toLocaleString('en')} more characters)`.toWellFormed();
}

// Controls, line ends, zero-width and bidirectional characters, halves of pairs.
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
