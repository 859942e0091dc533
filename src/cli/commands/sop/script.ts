import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { AgentError, reasonOf } from '../../../core/index.ts';
import { errorAt, type SopIssue } from '../../../engines/sop/index.ts';

/** A script that was passed as an argument. The name `-` means stdin. */
export interface ScriptFile {
  readonly file: string;
  readonly text: string;
  /** The error if the file cannot be read as a script. Such a script is not checked any further. */
  readonly issue?: SopIssue;
}

/** Reads a script. Throws `usage.not-found` if the file does not exist or cannot be read. */
export async function readScript(file: string, cwd: string): Promise<ScriptFile> {
  const bytes = await takeBytes(file, cwd);
  if (bytes.length > maxBytes) return { file, text: '', issue: tooLong };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { file, text: '', issue: notText } : { file, text };
  } catch {
    return { file, text: '', issue: notText }; // The file is not valid UTF-8.
  }
}

/** The maximum size of a script in bytes, so that endless input cannot exhaust memory. */
const maxBytes = 3_000_003;

const start = { line: 1, column: 1 };
const notText = errorAt(start, 'sop.not-text', 'The script is not valid UTF-8.', 'Save the script as UTF-8.');
const tooLong = errorAt(
  start,
  'sop.too-long',
  'The script has more than 1,000,000 characters.',
  'Split the script, or move long text to files that a command reads.',
);

async function takeBytes(file: string, cwd: string): Promise<Uint8Array> {
  const path = resolve(cwd, file);
  const taken: Uint8Array[] = [];
  let length = 0;
  try {
    const chunks = file === '-' ? process.stdin : createReadStream(path);
    for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
      taken.push(chunk);
      length += chunk.length;
      if (length > maxBytes) break;
    }
  } catch (thrown) {
    throw unreadable(file === '-' ? 'stdin' : path, thrown);
  }
  return Buffer.concat(taken);
}

function unreadable(path: string, thrown: unknown): AgentError {
  const { code } = thrown as { code?: string };
  const fault =
    code === 'ENOENT'
      ? `File not found: ${path}.`
      : code === 'EISDIR'
        ? `${path} is a folder.`
        : `Cannot read ${path}: ${reasonOf(thrown)}.`;
  return new AgentError('usage.not-found', fault, {
    hint: 'Name a plan file; - is stdin.',
    cause: thrown,
  });
}

/** Returns the first file argument. Throws `usage.bad-input` if there is none. */
export function mustName([first = '']: readonly string[], action: string): string {
  if (first !== '') return first;
  throw new AgentError('usage.bad-input', 'Missing plan file.', {
    hint: `Run \`skilled sop ${action} <file>\`; use - for stdin.`,
  });
}

/** Returns the only file argument. Throws `usage.bad-input` if there is none or more than one. */
export function mustNameOne(args: readonly string[], action: string): string {
  const extra = args[1];
  if (extra === undefined) return mustName(args, action);
  throw new AgentError('usage.bad-input', `Unexpected argument "${extra}".`, {
    hint:
      action === 'run'
        ? 'Use a flag for the input: `skilled sop run <file> --input <text>`'
        : `Run \`skilled sop ${action} <file>\`.`,
  });
}
