import { followsCode, isSafeCode, isSafeSed } from './fixed-code.ts';
import type { CodeKind, DataKind, Kind, Syntax } from './syntax.ts';
import type { FlowWord, Reading } from './value-flow.ts';
import type { Marks } from './value-slots.ts';

/** A condition that the values in a word must meet. */
export interface ValueCondition {
  readonly kind: DataKind;
  readonly reading: Reading;
  /** Matches the start of a string that the program would interpret as more than data. */
  readonly special: RegExp;
  /** Whether the skill's author may allow the value to be an option. */
  readonly mayBeOption: boolean;
}

/** The reason why values cannot be inserted into a script, and the text in the script that caused it. */
export interface RefusedValue {
  readonly refusal: 'unlisted' | 'code' | 'program' | 'effects';
  readonly text: string;
}

type Result = { readonly checks: readonly ValueCondition[] } | RefusedValue;

/**
 * Returns the conditions that values in a program's arguments must meet, or the first argument that is
 * refused. Pure.
 */
export function checkArguments(words: readonly FlowWord[], syntax: Syntax, marks: Marks): Result {
  return syntax.isFree
    ? { checks: checkFree(words, syntax, marks) }
    : new ArgumentReader(syntax, marks).check(words);
}

/** Checks the arguments of a script of the skill, which receives them as data. Pure. */
export function checkScript(words: readonly FlowWord[], marks: Marks): Result {
  const code = words.find((word, index) => word.holdsValue && followsCode(words, index, marks));
  if (code !== undefined) return { refusal: 'code', text: code.value };
  return { checks: checkFree(words, { special: /^-/, effects: undefined }, marks) };
}

/** Checks the arguments of a program that cannot run another program, regardless of its options. */
function checkFree(
  words: readonly FlowWord[],
  { special, effects }: Pick<Syntax, 'special' | 'effects'>,
  marks: Marks,
): readonly ValueCondition[] {
  // An option in a value must not make a program write a file.
  const mayBeOption = effects?.test(' ') !== false;
  return words.flatMap((word, index) => {
    if (!word.holdsValue) return [];
    const isAfterDashes = words.slice(0, index).some(({ value }) => value === '--');
    if (isAfterDashes && !word.splits) return [];
    const readings = word.splits ? [unknown] : word.readings;
    // If the script itself contains the start of the option, the value is only data for that option.
    const open = readings.filter(({ text }) => !text.startsWith('-') || text.search(marks.pattern) === 0);
    return open.map((reading): ValueCondition => ({ kind: 'data', reading, special, mayBeOption }));
  });
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
  /** Whether an option for another program follows `--`. */
  #hasOption = false;
  #refused: RefusedValue | undefined;

  constructor(syntax: Syntax, marks: Marks) {
    this.#syntax = syntax;
    this.#marks = marks;
    this.#operands = syntax.operands;
  }

  check(words: readonly FlowWord[]): Result {
    for (const [index, word] of words.entries()) {
      const isOfScript = this.#syntax.operands[0] === 'file' && this.#ended === 'operand';
      if (isOfScript && word.holdsValue && followsCode(words, index, this.#marks)) this.#refuse(word, 'code');
      else if (this.#waiting.length > 0) this.#readWaiting(word);
      else if (this.#ended === 'no' && word.readings.some(({ text }) => /^-./.test(text)))
        this.#readOption(word);
      else this.#readOperand(word);
      if (this.#refused !== undefined) return this.#refused;
    }
    // An interpreter without a file argument reads its program from stdin.
    if (this.#operands[0] === 'file') return { refusal: 'code', text: '' };
    return { checks: this.#checks };
  }

  #readWaiting(word: FlowWord): void {
    const [kind = 'fixed', ...rest] = this.#waiting;
    this.#waiting = rest;
    this.#accept(word, kind, word.readings);
  }

  #readOperand(word: FlowWord): void {
    const [kind = 'fixed', ...rest] = this.#operands;
    if (rest.length > 0) this.#operands = rest;
    if (kind === 'word' && this.#ended === 'dashes') {
      // The program that the command starts may read this word as the value of its own option.
      if (word.holdsValue && this.#hasOption) return this.#refuse(word, 'unlisted');
      this.#hasOption ||= word.readings.some(
        ({ text, rest: after }) => text.startsWith('-') || (text === '' && after !== 'nothing'),
      );
    }
    if (this.#isUnsure && word.holdsValue && this.#ended !== 'dashes') return this.#refuse(word, 'unlisted');
    if (!word.isLiteral && !word.holdsValue && kind !== 'file')
      this.#isUnsure ||= word.readings.some(
        ({ text, rest: after }) => /\s/.test(text) || (text === '' && after === 'text'),
      );
    this.#accept(word, kind, word.readings);
    if (this.#syntax.isOrdered) this.#ended = 'operand';
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
    if (!isDataKind(kind)) {
      const isAllowed = isSafeCode(word, kind, this.#marks) && (kind === 'file' || !word.holdsValue);
      if (!isAllowed) this.#refuse(word, kind === 'file' && word.holdsValue ? 'program' : 'code');
      return;
    }
    if (kind === 'sed' && !readings.every((reading) => this.#isSafeSed(reading)))
      return this.#refuse(word, 'code');
    if (!word.holdsValue) return;
    const isEnd = this.#ended === 'dashes' && this.#operands.length === 1;
    if (kind === 'data' && isEnd && !word.splits) return;
    if (kind === 'pair' && !readings.every(({ text }) => this.#isPair(text)))
      return this.#refuse(word, 'code');
    // After a script's file name, a word that looks like an option is passed to the script.
    const mayBeOption = kind === 'data' && this.#syntax.operands[0] === 'file' && this.#ended === 'operand';
    for (const reading of word.splits ? [unknown] : readings)
      this.#checks.push({ kind, reading, special: kind === 'pair' ? /^-/ : special, mayBeOption });
  }

  #isSafeSed({ text, rest }: Reading): boolean {
    return rest === 'nothing' && isSafeSed(this.#marks.replaced(text, () => '1'));
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

const codeKinds: ReadonlySet<Kind> = new Set<CodeKind>([
  ...(['fixed', 'file', 'awk', 'python', 'output', 'format'] as const),
]);

function isDataKind(kind: Kind): kind is DataKind {
  return !codeKinds.has(kind);
}
