import type { Command, Redirection, SyntaxNode, Word } from 'unbash';
import { checkBuiltin } from './builtin-values.ts';
import { checkArguments, type RefusedValue, type ValueCondition } from './check-arguments.ts';
import { ownScript, syntaxOf, type Syntax } from './data-positions.ts';
import { innerOf, runsOthers } from './inner-commands.ts';
import { unbash } from './parser.ts';
import type { FlowWord, Reading, ValueFlow } from './value-flow.ts';
import type { Marks } from './value-slots.ts';
import { isNeutralVariable } from './variables.ts';
import type { ShellWord } from './word.ts';

/**
 * Finds the first command of a script that could treat a value as more than data, and the conditions that the
 * values must meet. Accepts values only at positions that are known to be data. Pure.
 */
export function checkCommands(
  script: SyntaxNode,
  flow: ValueFlow,
  marks: Marks,
): { readonly refused: RefusedValue | undefined; readonly checks: readonly ValueCondition[] } {
  const found: Found = { checks: [], refused: undefined, written: new Set(), run: new Set(), isOpen: false };
  visit(script, { found, flow, marks, getsValues: false });
  const [file] = [...found.written].filter((name) => found.run.has(name));
  if (file !== undefined) refuse(found, 'program', file);
  if (found.isOpen && found.other !== undefined) refuse(found, 'unlisted', found.other);
  return { refused: found.refused, checks: found.checks };
}

interface Found {
  readonly checks: ValueCondition[];
  refused: RefusedValue | undefined;
  /** The names of the files that the script writes. */
  readonly written: Set<string>;
  /** The names of the files that can run as programs. */
  readonly run: Set<string>;
  /** Whether a value determines a folder or an output file, which could affect programs that run later. */
  isOpen: boolean;
  /** A command whose effect could depend on a changed folder or file. */
  other?: string;
}

interface Walk {
  readonly found: Found;
  readonly flow: ValueFlow;
  readonly marks: Marks;
  /** Whether the command's input can contain values. */
  readonly getsValues: boolean;
}

function refuse(found: Found, refusal: RefusedValue['refusal'], text: string): void {
  found.refused ??= { refusal, text };
}

function visit(node: SyntaxNode, walk: Walk): void {
  const { found, flow } = walk;
  switch (node.type) {
    case 'Pipeline': {
      let getsValues = walk.getsValues;
      for (const command of node.commands) {
        visit(command, { ...walk, getsValues });
        getsValues ||= flow.holds(command);
      }
      return;
    }
    case 'Redirected':
      for (const redirect of node.redirects) visit(redirect, walk);
      visit(node.command, { ...walk, getsValues: walk.getsValues || givesValues(node.redirects, flow) });
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
      checkCommand(node, walk);
      break;
    case 'Assignment':
      if (!isNeutralVariable(node.name) && flow.holds(node)) refuse(found, 'program', node.text);
      break;
    case 'For':
    case 'Select':
      if (!isNeutralVariable(node.name.value) && (node.wordlist ?? [node]).some(flow.holds))
        refuse(found, 'program', node.name.value);
      break;
    case 'Redirect':
      if (node.target !== undefined && node.operator.includes('>')) {
        found.written.add(baseName(node.target.value));
        found.isOpen ||= flow.holds(node.target) || !isDataFile(node.target.value);
      }
      break;
    default:
  }
  unbash().forEachChild(node, (child) => {
    visit(child, walk);
  });
}

// Files that programs read only if a command line names them.
const dataFile =
  /^(?:[\d-]+|\/dev\/(?:null|stdout|stderr)|\/tmp\/.*|[a-z0-9_./-]+\.(?:txt|md|log|csv|tsv|diff|patch|out))$/;

function isDataFile(name: string): boolean {
  return dataFile.test(name) || /^>\(/.test(name);
}

function givesValues(redirects: readonly Redirection[], flow: ValueFlow): boolean {
  return redirects.some((redirect) =>
    redirect.type !== 'Redirect' || redirect.operator.includes('<') ? flow.holds(redirect) : false,
  );
}

function baseName(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1).replace(/["']/g, '');
}

function checkCommand({ name, args, prefix, redirects }: Command, walk: Walk): void {
  const { flow } = walk;
  if (name === undefined) return;
  const words = [name, ...args.filter((argument) => argument.type === 'Word')].map((word: Word) =>
    flow.read(word),
  );
  const getsValues = walk.getsValues || givesValues(redirects, flow);
  const isSet = prefix.some((node) => node.type === 'Assignment' && flow.holds(node));
  checkWords(words, {
    ...walk,
    getsValues,
    isSet: isSet || args.some((argument) => argument.type === 'Assignment' && flow.holds(argument)),
    depth: 0,
  });
}

interface CommandWalk extends Walk {
  /** Whether a variable that is set for this command contains an inserted value. */
  readonly isSet: boolean;
  /** The number of wrapper commands that run the current command. */
  readonly depth: number;
}

const maxDepth = 8;

const shells = /^(?:ba|z|da|k|mk|a|rba)?sh$/;

function checkWords(words: readonly FlowWord[], walk: CommandWalk): void {
  const { found, flow, depth } = walk;
  const [first, ...rest] = words;
  if (first === undefined) return;
  if (depth > maxDepth) return refuse(found, 'unlisted', first.value);
  const isTouched = walk.getsValues || walk.isSet || rest.some(({ holdsValue }) => holdsValue);
  const name = baseName(first.value);
  if (first.holdsValue && !first.isInFolder) return refuse(found, 'program', first.value);
  if (depth === 0 && flow.functions.has(first.value)) return;
  const builtin = first.isLiteral ? checkBuiltin(name, rest, depth > 0) : undefined;
  if (builtin !== undefined) {
    if (builtin === 'evaluates') refuse(found, 'code', words.map(({ value }) => value).join(' '));
    found.isOpen ||= builtin === 'exports';
    return;
  }
  if (runsOthers(name) && !(shells.test(name) && syntaxOf(name, []) !== undefined))
    return checkWrapper(words, isTouched, walk);
  const text = first.readings[0]?.text ?? '';
  const known = first.isLiteral
    ? syntaxOf(
        name,
        rest.map(({ value }) => value),
      )
    : undefined;
  if (known?.syntax.isFree !== true) found.other ??= first.value;
  if (known !== undefined) {
    if (name === 'cd') found.isOpen ||= isTouched;
    const args = name === 'tar' ? withDash(rest) : rest.slice(known.length);
    if (walk.isSet && !known.syntax.isFree) return refuse(found, 'unlisted', first.value);
    if (known.syntax.operands[0] === 'file') {
      for (const { value } of args) if (!value.startsWith('-')) found.run.add(baseName(value));
      if (shells.test(name) && args.length === 0) return refuse(found, 'code', first.value);
    } else if (isTouched) {
      for (const { value } of args) found.written.add(baseName(value));
      if (/^(?:tee|cp|mv|ln|dd)$/.test(name)) found.isOpen ||= !args.every(({ value }) => isDataFile(value));
    }
    if (!isTouched && !shells.test(name)) return;
    if (name === 'find') return checkFind(words, known.syntax, walk);
    return checkListed(args, known.syntax, walk);
  }
  if (isOwnScript(text)) {
    found.run.add(baseName(text));
    if (isTouched) checkListed(rest, ownScript, walk);
    return;
  }
  for (const { value } of words) found.run.add(baseName(value));
  if (isTouched) refuse(found, 'unlisted', first.value);
}

/**
 * Converts the first word of tar's arguments, such as `xzf`, to an option. Other letters become an unknown
 * option, because several of them would take the words that follow.
 */
function withDash([first, ...rest]: readonly FlowWord[]): readonly FlowWord[] {
  if (first === undefined || first.value.startsWith('-')) return first === undefined ? [] : [first, ...rest];
  const value = /^[cxtzjJvpk]+f?$/.test(first.value) ? `-${first.value}` : '--unknown';
  return [{ ...first, value, readings: [{ text: value, rest: 'nothing' }] }, ...rest];
}

/** Whether a path belongs to a script of the skill or the project, not to an installed program. */
function isOwnScript(path: string): boolean {
  if (/(?:^|\/)(?:\.\.|node_modules|\.?venv)\//.test(path)) return false;
  if (/^~\/.+\.(?:sh|py|js|mjs|ts|rb)$/.test(path)) return true;
  return /^[^/~$-][^/]*\//.test(path);
}

/** Checks the command that a wrapper such as `timeout` or `xargs` runs. */
function checkWrapper(words: readonly FlowWord[], isTouched: boolean, walk: CommandWalk): void {
  const { found, depth } = walk;
  const name = baseName(words[0]?.value ?? '');
  const inner = innerOf(name, { words, given: [] });
  const [command, ...others] = inner.commands;
  if (inner.alike !== undefined) for (const { value } of inner.alike) found.run.add(baseName(value));
  // `command -v` runs nothing. The last word of an xargs command stands for its input.
  if (name === 'command' && inner.areAll && command === undefined) return;
  const length = (command?.length ?? 0) - (name === 'xargs' ? 1 : 0);
  const before = words.slice(0, words.length - length);
  const isClear = inner.areAll && command !== undefined && others.length === 0;
  if (!isClear || inner.scripts.length > 0) {
    if (isTouched || shells.test(name)) refuse(found, 'unlisted', words[0]?.value ?? '');
    found.other ??= name;
    for (const { value } of words) found.run.add(baseName(value));
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
  return { ...word, holdsValue, splits, readings, isInFolder: word.isInFolder === true };
}

/** Returns a word into which a program inserts its input. */
function asInput(word: ShellWord & Partial<FlowWord>, getsValues: boolean, rest: Reading['rest']): FlowWord {
  const flow = asFlow(word);
  const isFilled = !word.isLiteral && flow.readings.every((reading) => reading.rest === 'nothing');
  if (word.readings !== undefined && !isFilled) return flow;
  if (!getsValues) return { ...flow, holdsValue: flow.holdsValue && isFilled, splits: false };
  return { ...flow, holdsValue: true, splits: rest === 'value', readings: [{ text: '', rest }] };
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

function checkListed(
  words: readonly FlowWord[],
  syntax: Syntax,
  { found, marks, getsValues }: CommandWalk,
): void {
  const result = checkArguments(words, syntax, marks);
  if ('refusal' in result) refuse(found, result.refusal, result.text);
  else found.checks.push(...result);
  if (getsValues && !syntax.readsData) refuse(found, 'unlisted', 'input');
}
