import type { Command, Redirection, SyntaxNode, Word } from 'unbash';
import { checkBuiltin } from './builtin-values.ts';
import { checkArguments, checkScript, type RefusedValue, type ValueCondition } from './check-arguments.ts';
import { syntaxOf } from './data-positions.ts';
import { isOwnScript } from './fixed-code.ts';
import { innerOf, runsOthers } from './inner-commands.ts';
import { unbash } from './parser.ts';
import type { Syntax } from './syntax.ts';
import { createEffects, isOrdered, writesFile, type Effects } from './value-effects.ts';
import type { FlowWord, Reading, ValueFlow } from './value-flow.ts';
import type { Marks } from './value-slots.ts';
import { isNeutralVariable } from './variables.ts';
import type { ShellWord } from './word.ts';

interface Checked {
  readonly refused: RefusedValue | undefined;
  readonly checks: readonly ValueCondition[];
}

/**
 * Finds the first command in a script that could treat a value as more than data, and the conditions that the
 * values must meet. Accepts values only at positions that are known to be data. Pure.
 */
export function checkCommands(script: SyntaxNode, flow: ValueFlow, marks: Marks): Checked {
  const hasOrder = isOrdered(script);
  const check = (wereInFiles: boolean): Checked & { readonly effects: Effects } => {
    const effects = createEffects(hasOrder, wereInFiles);
    const found: Found = { checks: [], refused: undefined, effects };
    visit(script, { found, flow, marks, getsValues: false });
    return { refused: found.refused, checks: found.checks, effects };
  };
  const first = check(false);
  // In a loop, a command can also read a file that a later command writes.
  const last = !hasOrder && first.effects.areInFiles() ? check(true) : first;
  return { refused: first.refused ?? last.refused, checks: last.checks };
}

interface Found {
  readonly checks: ValueCondition[];
  refused: RefusedValue | undefined;
  readonly effects: Effects;
}

interface Walk {
  readonly found: Found;
  readonly flow: ValueFlow;
  readonly marks: Marks;
  /** Whether the command's input can contain values. */
  readonly getsValues: boolean;
}

function refuseConflict(found: Found, conflict: string | undefined): void {
  if (conflict !== undefined) refuse(found, 'effects', conflict);
}

function refuse(found: Found, refusal: RefusedValue['refusal'], text: string): void {
  found.refused ??= { refusal, text };
}

function holds(node: SyntaxNode, { flow, found }: Walk): boolean {
  return flow.holds(node, found.effects.areInFiles());
}

function visit(node: SyntaxNode, walk: Walk): void {
  const { found } = walk;
  switch (node.type) {
    case 'Pipeline': {
      let getsValues = walk.getsValues;
      for (const command of node.commands) {
        visit(command, { ...walk, getsValues });
        getsValues ||= holds(command, walk);
      }
      return;
    }
    case 'Redirected':
      for (const redirect of node.redirects) visit(redirect, walk);
      checkRedirects(node, node.redirects, walk);
      visit(node.command, { ...walk, getsValues: givesValues(node.redirects, walk) });
      return;
    case 'Function':
    case 'Coproc':
      visit(node.body, { ...walk, getsValues: true });
      return;
    case 'ProcessSubstitution':
      if (node.script !== undefined)
        visit(node.script, { ...walk, getsValues: walk.getsValues || node.operator === '>' });
      return;
    case 'Command':
      // The shell runs the substitutions in a command before the command itself.
      visitChildren(node, walk);
      checkCommand(node, walk);
      checkRedirects(node, node.redirects, walk);
      return;
    case 'Assignment':
      if (!isNeutralVariable(node.name) && holds(node, walk)) refuse(found, 'program', node.text);
      break;
    case 'For':
    case 'Select':
      if (!isNeutralVariable(node.name.value) && (node.wordlist ?? [node]).some((word) => holds(word, walk)))
        refuse(found, 'program', node.name.value);
      break;
    default:
  }
  visitChildren(node, walk);
}

function visitChildren(node: SyntaxNode, walk: Walk): void {
  unbash().forEachChild(node, (child) => {
    visit(child, walk);
  });
}

/** Reports a file that a command writes, if a value determines the file's name or its content. */
function checkRedirects(node: SyntaxNode, redirects: readonly Redirection[], walk: Walk): void {
  // Redirects of `exec` also apply to all later commands.
  const isForAll = node.type === 'Command' && node.name?.value === 'exec';
  for (const redirect of redirects) {
    if (redirect.type !== 'Redirect' || !writesFile(redirect.operator, redirect.target?.value ?? ''))
      continue;
    if (isForAll || walk.getsValues || givesValues(redirects, walk) || holds(node, walk))
      refuseConflict(walk.found, walk.found.effects.add(node, 'files'));
  }
}

function givesValues(redirects: readonly Redirection[], walk: Walk): boolean {
  const { getsValues, found } = walk;
  if (getsValues || found.effects.areInFiles()) return true;
  return redirects.some(
    (redirect) => (redirect.type !== 'Redirect' || redirect.operator.includes('<')) && holds(redirect, walk),
  );
}

// Folders in which a program can be identified by its name.
const installed =
  /^(?:\/(?:usr\/)?(?:local\/)?s?bin|\/opt\/homebrew\/bin|(?:\.\/)?\.?venv\/bin(?=\/python))\//;

/**
 * Returns the name of a program. A path outside the folders for programs could lead to any program, so it
 * is left unchanged.
 */
function programName(text: string): string {
  return text.replace(/["']/g, '').replace(installed, '');
}

function checkCommand(command: Command, walk: Walk): void {
  const { flow, found } = walk;
  const { name, args, prefix, redirects } = command;
  if (name === undefined) return;
  const words = [name, ...args.filter((argument) => argument.type === 'Word')].map((word: Word) =>
    flow.read(word, found.effects.areInFiles()),
  );
  const isSet = [...prefix, ...args].some((node) => node.type === 'Assignment' && holds(node, walk));
  checkWords(words, { ...walk, command, getsValues: givesValues(redirects, walk), isSet, depth: 0 });
}

interface CommandWalk extends Walk {
  readonly command: SyntaxNode;
  /** Whether a variable that is set for this command contains an inserted value. */
  readonly isSet: boolean;
  /** The number of wrapper commands that run the current command. */
  readonly depth: number;
}

const maxDepth = 8;

const shells = /^(?:ba|z|da|k|mk|a|rba)?sh$/;

function checkWords(words: readonly FlowWord[], walk: CommandWalk): void {
  const { found, flow, marks, depth } = walk;
  const [first, ...rest] = words;
  if (first === undefined) return;
  if (depth > maxDepth) return refuse(found, 'unlisted', first.value);
  const isTouched = walk.getsValues || walk.isSet || rest.some(({ holdsValue }) => holdsValue);
  const name = programName(first.value);
  if (first.holdsValue && first.folder === undefined) return refuse(found, 'program', first.value);
  if (depth === 0 && flow.functions.has(first.value)) return;
  const builtin = first.isLiteral ? checkBuiltin(name, rest, depth > 0) : undefined;
  if (builtin !== undefined) {
    if (builtin === 'evaluates') refuse(found, 'code', words.map(({ value }) => value).join(' '));
    if (builtin === 'exports') refuseConflict(found, found.effects.add(walk.command, 'setting'));
    return;
  }
  if (runsOthers(name) && !(shells.test(name) && syntaxOf(name, []) !== undefined))
    return checkWrapper(words, isTouched, walk);
  const values = rest.map(({ value }) => value);
  const known = first.isLiteral ? syntaxOf(name, values) : undefined;
  if (known === undefined) {
    refuseConflict(found, found.effects.addUser(walk.command, first.value));
    if (!isTouched) return;
    // The shell looks for a name without a slash in the folders of PATH.
    if (first.value.includes('/') && isOwnScript(first, marks))
      return addResult(checkScript(rest, marks), walk);
    return refuse(found, 'unlisted', first.value);
  }
  const { syntax } = known;
  if (!syntax.isFree) refuseConflict(found, found.effects.addUser(walk.command, first.value));
  const args = name === 'tar' ? withDash(rest) : rest.slice(known.length);
  if (walk.isSet && !syntax.isFree) return refuse(found, 'unlisted', first.value);
  if (shells.test(name) && args.length === 0) return refuse(found, 'code', first.value);
  if (!isTouched && !shells.test(name)) return;
  if (name === 'find') checkFind(words, syntax, walk);
  else checkListed(args, syntax, walk);
  const isWriting = syntax.effects?.test(` ${possibleText(args, marks)} `) === true;
  if (name === 'cd' || isWriting)
    refuseConflict(found, found.effects.add(walk.command, isWriting ? 'files' : 'setting'));
}

/**
 * Returns arguments as text. Replaces each unknown word with an option and operands, unless the word is a
 * path.
 */
function possibleText(words: readonly FlowWord[], marks: Marks): string {
  const texts = words.flatMap(({ value, readings }) =>
    readings.map(({ text, rest }) => {
      const isUnknown = text === '' && rest !== 'nothing' && !value.includes('/');
      return isUnknown ? '-o a b' : marks.replaced(text, () => 'o');
    }),
  );
  return texts.join(' ');
}

/**
 * Converts tar's first argument, such as `xzf`, to an option. Other letters become an unknown option, because
 * several of them take the following words as values.
 */
function withDash([first, ...rest]: readonly FlowWord[]): readonly FlowWord[] {
  if (first === undefined || first.value.startsWith('-')) return first === undefined ? [] : [first, ...rest];
  const value = /^[cxtzjJvpk]+f?$/.test(first.value) ? `-${first.value}` : '--unknown';
  return [{ ...first, value, readings: [{ text: value, rest: 'nothing' }] }, ...rest];
}

/** Checks the command that a wrapper such as `timeout` or `xargs` runs. */
function checkWrapper(words: readonly FlowWord[], isTouched: boolean, walk: CommandWalk): void {
  const { found, depth } = walk;
  const name = programName(words[0]?.value ?? '');
  const inner = innerOf(name, { words, given: [] });
  const [command, ...others] = inner.commands;
  // `command -v` runs nothing. The last word of an xargs command represents its input.
  if (name === 'command' && inner.areAll && command === undefined) return;
  const length = (command?.length ?? 0) - (name === 'xargs' ? 1 : 0);
  const before = words.slice(0, words.length - length);
  const isClear = inner.areAll && command !== undefined && others.length === 0;
  if (!isClear || inner.scripts.length > 0) {
    if (isTouched || shells.test(name)) refuse(found, 'unlisted', words[0]?.value ?? '');
    refuseConflict(found, found.effects.addUser(walk.command, name));
    return;
  }
  if (before.some(({ holdsValue }) => holdsValue)) return refuse(found, 'unlisted', name);
  const getsValues = name === 'xargs' ? false : walk.getsValues;
  const filled = command.map((word) =>
    name === 'xargs' ? asInput(word, walk.getsValues, 'value') : asFlow(word),
  );
  checkWords(filled, { ...walk, getsValues, depth: depth + 1 });
}

function asFlow(word: ShellWord & Partial<FlowWord>): FlowWord {
  const { holdsValue = true, splits = true, readings = [{ text: '', rest: 'value' }] } = word;
  return { ...word, holdsValue, splits, readings, folder: word.folder };
}

/** Converts a word into which a program such as `xargs` inserts its input. */
function asInput(word: ShellWord & Partial<FlowWord>, getsValues: boolean, rest: Reading['rest']): FlowWord {
  const flow = asFlow(word);
  const isFilled = !word.isLiteral && flow.readings.every((reading) => reading.rest === 'nothing');
  if (word.readings !== undefined && !isFilled) return flow;
  if (!getsValues) return { ...flow, holdsValue: flow.holdsValue && isFilled, splits: false };
  return { ...flow, holdsValue: true, splits: false, readings: [{ text: '', rest }] };
}

function checkFind(words: readonly FlowWord[], syntax: Syntax, walk: CommandWalk): void {
  const { commands, areAll } = innerOf('find', { words, given: [] });
  const own: FlowWord[] = [];
  let isInner = false;
  for (const word of words.slice(1)) {
    isInner ||= /^-(?:exec|ok)/.test(word.value);
    if (!isInner) own.push(word);
    if (word.value === ';' || word.value === '+') isInner = false;
  }
  checkListed(own, syntax, walk);
  if (isInner || (!areAll && words.some(({ value }) => /^-(?:exec|ok)/.test(value))))
    refuse(walk.found, 'unlisted', 'find');
  for (const command of commands)
    checkWords(
      command.map((word) => asInput(word, true, 'text')),
      { ...walk, getsValues: false, depth: walk.depth + 1 },
    );
}

function checkListed(words: readonly FlowWord[], syntax: Syntax, walk: CommandWalk): void {
  addResult(checkArguments(words, syntax, walk.marks), walk);
  if (walk.getsValues && !syntax.readsData) refuse(walk.found, 'unlisted', 'input');
}

function addResult(result: ReturnType<typeof checkArguments>, { found }: CommandWalk): void {
  if ('refusal' in result) refuse(found, result.refusal, result.text);
  else found.checks.push(...result.checks);
}
