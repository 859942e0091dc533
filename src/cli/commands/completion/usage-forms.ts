/** What may stand at one place behind a command: fixed words, or what a name in brackets stands for. */
export interface Slot {
  readonly words: readonly string[];
  readonly names: readonly string[];
  /** A mark before the name, as the slash before a skill. */
  readonly mark: string;
  readonly repeats: boolean;
}

/** One line of a usage: its places in order, without flags. */
export type Form = readonly Slot[];

/** The forms that the usage of a command tells of: the lines of its first paragraph that begin with the command. */
export function usageForms(usage: string, command: string): readonly Form[] {
  const [paragraph = ''] = usage.split('\n\n', 1);
  return paragraph.split('\n').flatMap((line) => {
    const [program, name, ...tokens] = tokensOf(line.replace(/^Usage:/, '').trim());
    return program === 'skilled' && name === command ? [formOf(tokens)] : [];
  });
}

/** What stands behind a flag in a help: the name in brackets, as `dir` in `--cwd <dir>`. */
export function valueName(help: string, flag: string): string | undefined {
  return new RegExp(`--${flag} <([^>]+)>`).exec(help)?.[1];
}

/** What a help says of a flag, on its first line. */
export function flagMeaning(help: string, flag: string): string {
  const line = new RegExp(`^ +(?:-\\w, )?--${flag}(?: <[^>]+>)?(?: +|\\n +)(\\S.*)$`, 'm').exec(help);
  return line?.[1] ?? new RegExp(`--${flag}: ([^;\\n]+)`).exec(help)?.[1] ?? '';
}

/** Blanks inside brackets and quotes separate nothing. */
function tokensOf(line: string): readonly string[] {
  return line.match(/(?:\[(?:[^[\]]|\[[^\]]*\])*\]|<[^>]*>|"[^"]*"|[^\s[<"])+/g) ?? [];
}

function formOf(tokens: readonly string[]): Form {
  return tokens.flatMap((token, index) => {
    const isFlag = /^\[?-/.test(token);
    const isValue = /^--?[\w-]+$/.test(tokens[index - 1] ?? '');
    const isNothing = /^(?:\||\[\.+\]|\[flags\])$/.test(token);
    return isFlag || isValue || isNothing ? [] : [slotOf(token)];
  });
}

function slotOf(token: string): Slot {
  const repeats = token.includes('...');
  const bare = token.replaceAll('...', '');
  const [, mark = '', inner] = /^([^[<"]?)[[<](.*)[\]>]$/.exec(bare) ?? [];
  if (inner !== undefined) return { words: [], names: inner.split(/\s*\|\s*/).map(nameOf), mark, repeats };
  const words = bare.startsWith('"') ? [] : bare.split('|');
  return { words, names: [], mark: '', repeats };
}

function nameOf(part: string): string {
  return part.replace(/^[[<]|[\]>]$/g, '');
}
