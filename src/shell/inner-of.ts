import { anythingIn, nothing, type Inner } from './inner.ts';
import { innerOfFind } from './inner-of-find.ts';
import { innerOfFile, innerOfScript, innerOfShell, innerOfTrap } from './inner-of-shell.ts';
import type { SimpleCommand } from './read-script.ts';
import { innerOfWrapper } from './inner-of-wrapper.ts';

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'rbash']);

// Programs that run another one, called in too many ways to say where it begins.
const others: ReadonlySet<string> = new Set([
  ...['busybox', 'toybox', 'chroot', 'chrt', 'flock', 'ionice', 'ltrace', 'nsenter', 'parallel'],
  ...['runuser', 'setpriv', 'strace', 'su', 'taskset', 'unshare', 'watch'],
]);

/** What a simple command, known by the last part of its path, runs in turn. */
export function innerOf(name: string, { words, given }: SimpleCommand): Inner {
  if (words[0]?.isLiteral === false || name.startsWith('-') || others.has(name)) return anythingIn(words);
  if (shells.has(name)) return innerOfShell(words, given);
  const [, first] = words;
  switch (name) {
    case 'eval':
      return first === undefined ? nothing : innerOfScript(words.slice(first.value === '--' ? 2 : 1));
    case 'trap':
      return innerOfTrap(words);
    case 'source':
    case '.':
      return innerOfFile(words.slice(1), given);
    case 'find':
      return innerOfFind(words);
    default:
      return innerOfWrapper(name, words) ?? nothing;
  }
}
