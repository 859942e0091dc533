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

/**
 * A conversation that requests files from a model and reports errors in them, so that the model can fix them.
 */
export class GeneratorConversation {
  readonly targets: readonly string[];
  readonly #messages: Message[];
  /** The text of each file, as the model last saw it. */
  readonly #known = new Map<string, string>();

  /** Starts a conversation. `read` returns a file's current text, which the task has shown to the model. */
  constructor(targets: readonly string[], task: string, read: Read) {
    this.targets = targets;
    this.#messages = [{ role: 'user', text: task }];
    for (const target of targets) this.#known.set(target, read(target) ?? '');
  }

  /**
   * Asks the model and returns its answer. Throws if the model fails. In a resumed run, answers to earlier
   * requests come from the log.
   */
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

  /** Adds the errors in the code to the next request to the model. `read` returns a file's current text. */
  report(faults: readonly CodeFault[], read: Read): void {
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

/** A model's answer to a request for files. */
interface Answer {
  /** The file contents, keyed by target. */
  readonly files: ReadonlyMap<string, string>;
  /** The reason why the answer is unusable. If this is set, `files` is empty. */
  readonly fault?: string;
}

/**
 * Reads the files in a model's answer. Each file is a fenced code block below a line such as `## file:
 * src/x.ts`. If only one file was requested, a code block alone is enough. Files that were not requested make
 * the answer unusable. Runs in linear time.
 */
export function readAnswer(text: string, asked: readonly string[]): Answer {
  const { blocks, isOpen } = blocksIn(withoutThinking(text));
  if (isOpen) return unusable('The last code block in the answer is not closed.');
  const named = blocks.filter(({ path }) => path !== undefined);
  const [only] = asked;
  if (named.length === 0 && blocks.length === 1 && asked.length === 1 && only !== undefined)
    return checked(new Map([[only, blocks[0]?.content ?? '']]));
  if (named.length === 0) return unusable(blocks.length === 0 ? noBlock : noHeading);
  const files = new Map<string, string>();
  for (const { path = '', content } of named) {
    const target = asked.find((one) => path === one || path === `src/${one}`);
    if (target === undefined) return unusable(`The file ${path.slice(0, 200)} was not requested.`);
    files.set(target, content);
  }
  return checked(files);
}

const noBlock = 'The answer contains no file in a fenced block.';
const noHeading = 'The code blocks in the answer do not name their files: each needs a "## file: path" line.';

function unusable(fault: string): Answer {
  return { files: new Map(), fault };
}

function checked(files: ReadonlyMap<string, string>): Answer {
  const empty = [...files].find(([, content]) => content.trim() === '');
  return empty === undefined ? { files } : unusable(`The block for src/${empty[0]} is empty.`);
}

interface Block {
  /** The path in the heading above the code block, if there is a heading. */
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

/**
 * Returns the path in a heading line without its formatting, or undefined if the line is not such a heading.
 */
function headedPath(line: string): string | undefined {
  const [, heading] = /^[ \t]*#{1,6}[ \t]+(?:\*\*)?file:(.*)$/i.exec(line) ?? [];
  const path = heading?.replaceAll(/[`*]/g, '').trim().replace(/^\.\//, '');
  return path === '' ? undefined : path;
}
