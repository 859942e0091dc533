import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { AgentError, reasonOf } from '../../../core/index.ts';
import { errorAt, type SopIssue } from '../../../engines/sop/index.ts';

/** A script as the command line names it; `-` is what stdin gives. */
export interface ScriptFile {
  readonly file: string;
  readonly text: string;
  /** Set when it cannot be read as a script, and so nothing else can be said of it. */
  readonly issue?: SopIssue;
}

/** Reads a script as it is; throws `usage.not-found` for what is not there or cannot be read. */
export async function readScript(file: string, cwd: string): Promise<ScriptFile> {
  const bytes = await takeBytes(file, cwd);
  if (bytes.length > mostBytes) return { file, text: '', issue: tooLong };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { file, text: '', issue: notText } : { file, text };
  } catch {
    return { file, text: '', issue: notText }; // it is no UTF-8
  }
}

/** More than any script has that is short enough, so that what has no end does not fill the memory. */
const mostBytes = 3_000_003;

const start = { line: 1, column: 1 };
const notText = errorAt(start, 'sop.not-text', 'This is not text in UTF-8.', 'Save it in that encoding.');
const tooLong = errorAt(
  start,
  'sop.too-long',
  'The script has more than 1,000,000 characters.',
  'Divide it, or keep long texts elsewhere and have a command read them.',
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
      if (length > mostBytes) break;
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
      ? `There is no file ${path}.`
      : code === 'EISDIR'
        ? `${path} is a folder.`
        : `${path} cannot be read: ${reasonOf(thrown)}.`;
  return new AgentError('usage.not-found', fault, {
    hint: 'Name the file of a plan; - is stdin.',
    cause: thrown,
  });
}

/** The first of the files that a command line names; `usage.bad-input` when it names none. */
export function mustName([first = '']: readonly string[], action: string): string {
  if (first !== '') return first;
  throw new AgentError('usage.bad-input', 'Name the file of a plan.', {
    hint: `Write \`skilled sop ${action} <file>\`; - is stdin.`,
  });
}

/** Like `mustName`, for what is done with one file at a time. */
export function mustNameOne(words: readonly string[], action: string): string {
  const extra = words[1];
  if (extra === undefined) return mustName(words, action);
  throw new AgentError('usage.bad-input', `"${extra}" is one word too many.`, {
    hint:
      action === 'run'
        ? 'An input has a flag: `skilled sop run <file> --input <text>`'
        : `Write \`skilled sop ${action} <file>\`.`,
  });
}
