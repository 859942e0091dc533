import type { Kind, Syntax } from './data-positions.ts';
import type { FlowWord, Reading } from './value-flow.ts';
import type { Marks } from './value-slots.ts';

/** A condition that the values in a word must meet. */
export interface ValueCondition {
  readonly kind: Exclude<Kind, 'fixed' | 'awk' | 'file'>;
  readonly reading: Reading;
  /** Matches the start of a string that the program would interpret as more than data. */
  readonly special: RegExp;
  /** Whether the author of the skill may allow options at this position. */
  readonly mayBeOption: boolean;
}

/** The reason why values cannot be inserted into a script, and the affected part of the script. */
export interface RefusedValue {
  readonly refusal: 'unlisted' | 'code' | 'program';
  readonly text: string;
}

type Result = readonly ValueCondition[] | RefusedValue;

/** Finds the conditions for the values in a program's arguments, or the first refused value. Pure. */
export function checkArguments(words: readonly FlowWord[], syntax: Syntax, marks: Marks): Result {
  return syntax.isFree ? checkFree(words, syntax) : new ArgumentReader(syntax, marks).check(words);
}

/** Checks the arguments of a program that cannot run another program, regardless of its options. */
function checkFree(words: readonly FlowWord[], { options, special }: Syntax): Result {
  const checks: ValueCondition[] = [];
  for (const [index, word] of words.entries()) {
    const [option = ''] = word.value.split('=', 1);
    if (!word.holdsValue) continue;
    const isCode = [...options.keys()].some((name) => name.length === 2 && option.startsWith(name));
    if (isCode || options.has(option) || options.has(words[index - 1]?.value ?? ''))
      return { refusal: 'code', text: word.value };
    if (words.slice(0, index).some(({ value }) => value === '--')) continue;
    // If a word's beginning is unknown, the word may be an option, which is harmless here.
    for (const reading of word.readings)
      if (/^[^-]/.test(reading.text)) checks.push({ kind: 'data', reading, special, mayBeOption: true });
  }
  return checks;
}

const unknown: Reading = { text: '', rest: 'value' };

/** Parses the arguments of one command. */
class ArgumentReader {
  readonly #syntax: Syntax;
  readonly #marks: Marks;
  readonly #checks: ValueCondition[] = [];
  #operands: readonly Kind[];
  #waiting: readonly Kind[] = [];
  /** Whether options have ended because of `--` or the first operand. */
  #ended: 'no' | 'dashes' | 'operand' = 'no';
  /** Whether an earlier word could be an unknown option that takes the next word as its value. */
  #isUnsure = false;
  #refused: RefusedValue | undefined;

  constructor(syntax: Syntax, marks: Marks) {
    this.#syntax = syntax;
    this.#marks = marks;
    this.#operands = syntax.operands;
  }

  check(words: readonly FlowWord[]): Result {
    for (const word of words) {
      if (this.#waiting.length > 0) this.#readWaiting(word);
      else if (this.#ended === 'no' && word.readings.some(({ text }) => /^-./.test(text)))
        this.#readOption(word);
      else this.#readOperand(word);
      if (this.#refused !== undefined) return this.#refused;
    }
    // An interpreter without a file argument reads its program from stdin.
    if (this.#operands[0] === 'file') return { refusal: 'code', text: '' };
    return this.#checks;
  }

  #readWaiting(word: FlowWord): void {
    const [kind = 'fixed', ...rest] = this.#waiting;
    this.#waiting = rest;
    this.#accept(word, kind, word.readings);
  }

  #readOperand(word: FlowWord): void {
    const [kind = 'fixed', ...rest] = this.#operands;
    if (rest.length > 0) this.#operands = rest;
    if (this.#isUnsure && word.holdsValue && this.#ended !== 'dashes') return this.#refuse(word, 'unlisted');
    if (!word.isLiteral && !word.holdsValue && kind !== 'file')
      this.#isUnsure ||= word.readings.some(
        ({ text, rest: after }) => /\s/.test(text) || (text === '' && after === 'text'),
      );
    this.#accept(word, kind, word.readings);
    if (this.#syntax.isOrdered && this.#ended === 'no') this.#ended = 'operand';
  }

  #readOption(word: FlowWord): void {
    const { options, ignoresDashes } = this.#syntax;
    const [{ text, rest } = unknown, ...others] = word.readings;
    const mark = text.search(this.#marks.pattern);
    const certain = mark < 0 ? text : text.slice(0, mark);
    const isCertain = mark < 0 && rest === 'nothing';
    if (others.length > 0) return this.#refuse(word, 'unlisted');
    if (isCertain && text === '--' && !ignoresDashes) {
      this.#ended = 'dashes';
      return undefined;
    }
    const known = isCertain ? options.get(/^-\d+$/.test(text) ? '-#' : text) : undefined;
    if (known !== undefined) return this.#begin(text, known);
    if (text.startsWith('--')) {
      const [name = ''] = certain.split('=', 1);
      const kinds = certain.includes('=') ? options.get(name) : undefined;
      if (kinds?.length !== 1) return this.#refuse(word, 'unlisted');
      return this.#acceptGlued(word, kinds, { text: text.slice(name.length + 1), rest });
    }
    for (let at = 1; at < certain.length; at++) {
      const option = `-${certain.charAt(at)}`;
      const kinds = options.get(option);
      if (kinds === undefined) break;
      if (kinds.length === 0) {
        if (at === text.length - 1 && rest === 'nothing') return undefined;
        continue;
      }
      if (at === text.length - 1 && rest === 'nothing') return this.#begin(option, kinds);
      if (option === this.#syntax.code) this.#begin(option, []);
      return this.#acceptGlued(word, kinds, { text: text.slice(at + 1), rest });
    }
    return this.#refuse(word, 'unlisted');
  }

  #begin(option: string, kinds: readonly Kind[]): void {
    this.#waiting = kinds;
    if (option === this.#syntax.code) this.#operands = this.#syntax.operands.slice(1);
  }

  #acceptGlued(word: FlowWord, [kind = 'fixed', ...rest]: readonly Kind[], reading: Reading): void {
    this.#waiting = rest;
    const isSpecial = kind !== 'data' || this.#syntax.special.test('@');
    if (isSpecial || word.splits) this.#accept(word, kind, [reading], /^@/);
  }

  #accept(word: FlowWord, kind: Kind, readings: readonly Reading[], special = this.#syntax.special): void {
    if (kind === 'fixed' || kind === 'awk' || kind === 'file') {
      if (word.holdsValue && !(kind === 'file' && word.isInFolder))
        this.#refuse(word, kind === 'file' ? 'program' : 'code');
      else if (!isFixed(word, kind)) this.#refuse(word, 'code');
      return;
    }
    if (!word.holdsValue) return;
    const isEnd = this.#ended === 'dashes' && this.#operands.length === 1;
    if (kind === 'data' && isEnd) return;
    if (kind === 'pair' && !readings.every(({ text }) => this.#isPair(text)))
      return this.#refuse(word, 'code');
    // After a script's file name, a word that looks like an option is passed to the script.
    const mayBeOption = kind === 'data' && this.#syntax.operands[0] === 'file' && this.#ended === 'operand';
    for (const reading of word.splits ? [unknown] : readings)
      if (!mayBeOption || reading.text !== '') this.#checks.push({ kind, reading, special, mayBeOption });
  }

  #isPair(text: string): boolean {
    const equals = text.indexOf('=');
    const mark = text.search(this.#marks.pattern);
    return equals >= 0 && (mark < 0 || equals < mark);
  }

  #refuse(word: FlowWord, refusal: RefusedValue['refusal']): void {
    this.#refused ??= { refusal, text: word.value };
  }
}

/** Whether a fixed word is safe as code, or as a file to run, in a command with values. */
function isFixed({ value, isLiteral }: FlowWord, kind: Kind): boolean {
  if (kind === 'awk') return isLiteral && !/[|@]|system|getline/.test(value);
  if (kind === 'file') return /[./]/.test(value) && !/^(?:-|[<>]\(|\/dev\/|\/proc\/)/.test(value);
  return true;
}
