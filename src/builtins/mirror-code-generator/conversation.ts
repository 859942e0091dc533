import {
  closesFence,
  collect,
  hashOf,
  mustAnswer,
  openingFence,
  optional,
  withoutIndent,
  withoutThinking,
  type FenceOpening,
  type Json,
  type Message,
  type Model,
} from '../../core/index.ts';
import type { CodeFault } from './check-programs.ts';
import { buildRepairText, systemText } from './prompts.ts';

type Read = (target: string) => string | undefined;

/** Asks one model for the same files until they can be used. */
export class GeneratorConversation {
  readonly targets: readonly string[];
  readonly #messages: Message[];
  /** The files as the model knows them. */
  readonly #known = new Map<string, string>();

  /** `read` gives the text of a file as the task shows it. */
  constructor(targets: readonly string[], task: string, read: Read) {
    this.targets = targets;
    this.#messages = [{ role: 'user', text: task }];
    for (const target of targets) this.#known.set(target, read(target) ?? '');
  }

  /** Throws the failure of the model; a request that was made before, in a run that is taken up again, is answered from its log. */
  async ask(model: Model, signal: AbortSignal): Promise<Answer> {
    const messages = [...this.#messages];
    const key = `files:${this.targets[0] ?? ''}:${hashOf([systemText, messages as unknown as Json])}`;
    const reply = await collect(model.stream({ system: systemText, messages, key }, signal));
    mustAnswer(model, reply);
    const { text, native } = reply;
    const said: Message = { role: 'assistant', text, ...optional('native', native) };
    if (text.trim() !== '') this.#messages.push(said);
    const answer = readAnswer(text, this.targets);
    for (const [target, content] of answer.files) this.#known.set(target, content);
    return answer;
  }

  /** Says what is wrong before the next question; `read` gives the files as they are now. */
  tell(faults: readonly CodeFault[], read: Read): void {
    const now = new Map<string, string>();
    for (const target of this.targets) {
      const text = read(target);
      if (text === undefined || text === this.#known.get(target)) continue;
      now.set(target, text);
      this.#known.set(target, text);
    }
    const text = buildRepairText(faults, now);
    const last = this.#messages.at(-1);
    if (last?.role !== 'user') this.#messages.push({ role: 'user', text });
    else this.#messages.splice(-1, 1, { role: 'user', text: `${last.text}\n\n${text}` });
  }
}

/** What a model answered to a request for files. */
interface Answer {
  /** By target. */
  readonly files: ReadonlyMap<string, string>;
  /** Why it cannot be used as it is; then nothing of it is. */
  readonly fault?: string;
}

/**
 * Reads the files in an answer: each in a fenced block behind a line `## file: src/x.ts`; for a single file one block
 * is enough. Only targets that were asked for are taken. Linear in the length of the answer.
 */
export function readAnswer(text: string, asked: readonly string[]): Answer {
  const { blocks, isOpen } = blocksIn(withoutThinking(text));
  if (isOpen) return unusable('The last block of the answer is not closed.');
  const named = blocks.filter(({ path }) => path !== undefined);
  const [only] = asked;
  if (named.length === 0 && blocks.length === 1 && asked.length === 1 && only !== undefined)
    return checked(new Map([[only, blocks[0]?.content ?? '']]));
  if (named.length === 0) return unusable(blocks.length === 0 ? noBlock : noHeading);
  const files = new Map<string, string>();
  for (const { path = '', content } of named) {
    const target = asked.find((one) => path === one || path === `src/${one}`);
    if (target === undefined) return unusable(`The file ${path.slice(0, 200)} was not asked for.`);
    files.set(target, content);
  }
  return checked(files);
}

const noBlock = 'The answer has no file in a fenced block.';
const noHeading =
  'The blocks of the answer do not say which files they are: a line "## file: path" is missing.';

function unusable(fault: string): Answer {
  return { files: new Map(), fault };
}

function checked(files: ReadonlyMap<string, string>): Answer {
  const empty = [...files].find(([, content]) => content.trim() === '');
  return empty === undefined ? { files } : unusable(`The block for src/${empty[0]} is empty.`);
}

interface Block {
  /** Of the heading before it. */
  readonly path: string | undefined;
  readonly content: string;
}

function blocksIn(text: string): { readonly blocks: readonly Block[]; readonly isOpen: boolean } {
  const blocks: Block[] = [];
  let open: FenceOpening | undefined;
  let path: string | undefined;
  let lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (open === undefined) {
      open = openingFence(line);
      if (open === undefined) path = headedPath(line) ?? path;
    } else if (closesFence(line, open.marks)) {
      blocks.push({ path, content: lines.map((one) => `${one}\n`).join('') });
      [open, path, lines] = [undefined, undefined, []];
    } else lines.push(withoutIndent(line, open.indent));
  }
  return { blocks, isOpen: open !== undefined };
}

/** The path that a heading names, however it is marked up. */
function headedPath(line: string): string | undefined {
  const [, words] = /^[ \t]*#{1,6}[ \t]+(?:\*\*)?file:(.*)$/i.exec(line) ?? [];
  const path = words?.replaceAll(/[`*]/g, '').trim().replace(/^\.\//, '');
  return path === '' ? undefined : path;
}
