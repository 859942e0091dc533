import { matchesWildcard } from '../core/names.ts';
import { readWords } from './read-script.ts';
import { textOfWords } from './shell-word.ts';

/**
 * Whether a rule such as `git add *` means a simple command. `*` stands for anything in it; ` *` or `:*` at the end also
 * for nothing, and never for the rest of a word. Quotes in the rule mean what they mean in a command.
 */
export function matchesCommand(spec: string, command: string): boolean {
  const text = unitsOf(command);
  return [spec, quotedAsCommand(spec)].some((written) => {
    const pattern = written.endsWith(':*') ? `${written.slice(0, -2)} *` : written;
    if (matchesWildcard(unitsOf(pattern), text)) return true;
    return pattern.endsWith(' *') && matchesWildcard(unitsOf(pattern.slice(0, -2)), text);
  });
}

/** A rule that is a simple command, written as such commands are compared; any other as it is. */
function quotedAsCommand(spec: string): string {
  if (!/["'\\$`;&|<>()#]/.test(spec)) return spec.trim().replace(/[ \t]+/g, ' ');
  const words = readWords(spec);
  return words === undefined ? spec : textOfWords(words);
}

// A character behind a backslash is one unit with it, so that no blank inside a word is taken for the end of one.
function unitsOf(text: string): ArrayLike<string> {
  return text.includes('\\') ? (text.match(/\\[^]|[^]/g) ?? []) : text;
}
