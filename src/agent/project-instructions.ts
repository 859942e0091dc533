import { existsSync, fstatSync, readSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { decodeText, toErrorData, withoutHidden, type InstructionFile } from '../core/index.ts';
import { holdFile } from '../files/index.ts';
import { workspaceOf, type AgentOptions, type Settings } from './options.ts';

/** The instruction files of a project, nearest first, and the files that cannot be used. */
interface FoundInstructions {
  readonly files: readonly InstructionFile[];
  readonly unused: readonly UnusedFile[];
}

interface UnusedFile {
  readonly path: string;
  readonly reason: string;
}

/** The current options and settings of an agent. */
interface InstructionsContext {
  readonly options: AgentOptions;
  readonly setUp: { readonly settings: Settings };
}

/**
 * The project's instructions for the assistant. In a project that the user does not trust, they are used only
 * once the host program has shown their paths to the user.
 */
export class ProjectInstructions {
  readonly #context: () => InstructionsContext;
  #shown: ReadonlySet<string> = new Set();

  constructor(context: () => InstructionsContext) {
    this.#context = context;
  }

  /** Whether the instructions are used without having been shown. */
  get isTrusted(): boolean {
    const { options, setUp } = this.#context();
    return options.projectInstructions === true || setUp.settings.isProjectTrusted === true;
  }

  /** Reads the files. Returns no files if the instructions are turned off. */
  find(): FoundInstructions {
    const { options, setUp } = this.#context();
    const isOn =
      options.projectInstructions ??
      (options.settings === true && setUp.settings.projectInstructions !== false);
    const workspace = workspaceOf(options);
    return isOn && workspace !== undefined ? findInstructions(workspace) : nothing;
  }

  /** Marks the files as shown to the user, and returns them. Call it after their paths were printed. */
  show(): readonly InstructionFile[] {
    const { files } = this.find();
    this.#shown = new Set([...this.#shown, ...files.map(({ path }) => path)]);
    return files;
  }

  /** Returns the files that the assistant may follow now, and the others with the reason. */
  usable(): FoundInstructions {
    const { files, unused } = this.find();
    if (this.isTrusted) return { files, unused };
    const hidden = files.filter(({ path }) => !this.#shown.has(path));
    return {
      files: files.filter((file) => !hidden.includes(file)),
      unused: [...unused, ...hidden.map(({ path }) => ({ path, reason: notShown }))],
    };
  }
}

const nothing: FoundInstructions = { files: [], unused: [] };
const notShown = 'The project is not trusted, and the path was not shown to the user.';
const names = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'];
const maxCharacters = 32_000; // For all files together: about 8,000 tokens.
const maxFolders = 64;

/**
 * Finds one file per folder, from the workspace up to the root of its repository. Outside a repository, looks
 * only into the workspace. Uses regular files only and follows no links.
 */
function findInstructions(workspace: string): FoundInstructions {
  let start: string;
  try {
    start = realpathSync.native(workspace);
  } catch {
    return nothing; // The folder does not exist.
  }
  const folders = foldersUpwards(start);
  const root = folders.at(-1) ?? start;
  const files: InstructionFile[] = [];
  const unused: UnusedFile[] = [];
  let room = maxCharacters;
  for (const folder of folders) {
    for (const name of names) {
      const path = relative(start, join(folder, name));
      const read = readInstructions(root, join(folder, name), path, room);
      if (read === undefined) continue;
      if ('reason' in read) {
        unused.push(read);
        continue;
      }
      room -= read.text.length;
      if (read.text.trim() !== '') files.push(read);
      break;
    }
  }
  return { files, unused };
}

/** Returns the folder and the folders above it, up to the root of the repository. */
function foldersUpwards(start: string): readonly string[] {
  const folders = [start];
  for (let dir = start; folders.length <= maxFolders; dir = dirname(dir)) {
    if (dir !== start) folders.push(dir);
    if (existsSync(join(dir, '.git'))) return folders;
    if (dirname(dir) === dir) break;
  }
  return [start];
}

/** Reads at most `room` characters of a file. Returns undefined if there is no such file. */
function readInstructions(
  root: string,
  file: string,
  path: string,
  room: number,
): InstructionFile | UnusedFile | undefined {
  try {
    using open = holdFile([root], file, path);
    if (room <= 0) return { path, reason: 'The nearer files use up the space for instructions.' };
    const bytes = Buffer.alloc(Math.min(fstatSync(open.handle).size, room * 4));
    const length = readSync(open.handle, bytes, 0, bytes.length, 0);
    const whole = withoutHidden(decodeText(bytes.subarray(0, length), []));
    const isCut = whole.length > room || fstatSync(open.handle).size > bytes.length;
    return { path, text: whole.slice(0, room).toWellFormed(), ...(isCut ? { isCut } : {}) };
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') return { path, reason: 'It is a link; only regular files are used.' };
    return { path, reason: toErrorData(thrown).message };
  }
}
