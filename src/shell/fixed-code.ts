import type { CodeKind } from './syntax.ts';
import type { FlowWord } from './value-flow.ts';
import type { Marks } from './value-slots.ts';

/**
 * Returns whether a word without inserted values is safe as code, or as a file to run, in a command whose
 * other words or whose input may contain values. Pure.
 */
export function isSafeCode(word: FlowWord, kind: CodeKind, marks: Marks): boolean {
  switch (kind) {
    case 'file':
      return isOwnScript(word, marks);
    case 'awk':
      return word.isLiteral && !/[|@]|system|getline/.test(word.value);
    case 'python':
      return word.isLiteral && isSafePython(word.value);
    case 'output':
      return word.isLiteral && !word.value.includes('#');
    case 'format':
      return word.isLiteral && !/^@|%output/.test(word.value);
    case 'fixed':
      return true;
  }
}

const modules = 'json|sys|re|math|datetime|collections|itertools|string|textwrap|csv|html|base64|hashlib';
const imports = new RegExp(`\\bimport +(?:${modules})(?: *, *(?:${modules}))*(?= *(?:;|\\n|$))`, 'g');
const reaching = new RegExp(
  String.raw`__|\b(?:import|exec|eval|compile|input|open|getattr|setattr|globals|locals|vars|breakpoint|help` +
    String.raw`|modules|builtins|system|popen\w*|spawn\w*|fork|run|call|codecs|os|_\w+)\b` +
    String.raw`|\bsys\b(?!\.(?:stdin|stdout|stderr|argv|exit)\b)`,
  'i',
);

/**
 * Returns whether Python code runs no other code: it imports only harmless modules, and calls nothing that
 * evaluates strings, opens files or reaches other modules.
 */
function isSafePython(code: string): boolean {
  return !reaching.test(code.replace(imports, ''));
}

const address = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)`;
const addresses = String.raw`(?:${address}(?:,\+?${address})?\s*!?\s*)?`;
const substitution = String.raw`s(?:/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/|\|(?:[^|\\\n]|\\.)*\|(?:[^|\\\n]|\\.)*\||#(?:[^#\\\n]|\\.)*#(?:[^#\\\n]|\\.)*#)[gpIi\d]*`;
const sedCommand = String.raw`\s*${addresses}(?:[pdqDhHgGxnNP=]|${substitution})\s*`;
const sedScript = new RegExp(`^${sedCommand}(?:;${sedCommand})*;?$`);

/** Returns whether a script for `sed` only selects, prints and substitutes text. Pure. */
export function isSafeSed(script: string): boolean {
  return script.length < 1000 && sedScript.test(script.replace(/\s*\n\s*/g, ';').replace(/\s+/g, ' '));
}

const extension = /\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|mts|cts|rb|pl|php|lua|R)$/;
// Folders that contain third-party programs.
const foreign = /^(?:node_modules|vendor|\.tox|\.nox|.*env.*|site-packages|dist-packages)$/i;
const programs = /^(?:bin|sbin|libexec)$/i;

/**
 * Returns whether a word certainly names a script of the skill or the project, rather than an installed
 * program: a file in the skill's folder, or a file with a script's extension below the workspace or the
 * home folder.
 */
export function isOwnScript({ readings, folder }: FlowWord, marks: Marks): boolean {
  const [reading, ...others] = readings;
  if (reading?.rest !== 'nothing' || others.length > 0) return false;
  const [mark = ''] = marks.pattern.exec(reading.text) ?? [];
  if (mark !== '' && (folder === undefined || !reading.text.startsWith(`${mark}/`))) return false;
  const path = mark === '' ? reading.text.replace(/^~\//, '') : reading.text.slice(mark.length + 1);
  if (mark === '' && /^[-/~$]/.test(path)) return false;
  const parts = path.split('/');
  const file = parts.pop() ?? '';
  if (file === '' || file === '..' || parts.some((part) => part === '..' || foreign.test(part))) return false;
  if (folder === 'skill') return true;
  return extension.test(file) && !parts.some((part) => programs.test(part));
}

const evaluating =
  /^(?:-\w{0,2}[ce]|--?(?:eval|exec|execute|command|config|code|require|import|rcfile)|shell|runner|eval|exec|tinker|console|repl|dbshell)$/;

/**
 * Returns whether a script could read the word at an index as code, because of an option or a subcommand
 * before it.
 */
export function followsCode(words: readonly FlowWord[], index: number, marks: Marks): boolean {
  const names = (word: FlowWord): boolean => word.readings.some(({ text }) => evaluating.test(text));
  if (words.slice(0, index).some(names)) return true;
  return (words[index]?.readings ?? []).some(({ text }) => {
    const mark = text.search(marks.pattern);
    const before = mark < 0 ? text : text.slice(0, mark);
    // Without an equals sign, the value is part of the option's name, or of several short options.
    return before.includes('=') ? evaluating.test(before.replace(/=.*$/s, '')) : before.startsWith('-');
  });
}
