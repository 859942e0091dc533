import { linkSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../../config/skilled-folder.ts';
import { AgentError, reasonOf } from '../../../core/index.ts';

/**
 * Writes files below a folder, creates the folder if needed, and returns the paths. Never changes existing
 * files: the first component of each relative path must not exist yet, and is created with all its files or
 * not at all. If the folder is not writable, the error includes the hint.
 */
export function writeNew(
  folder: string,
  files: Readonly<Record<string, string>>,
  hint = 'Choose another folder with --dir.',
): readonly string[] {
  const entries = new Set(Object.keys(files).map((file) => file.split('/', 1).join()));
  let staging: string | undefined;
  try {
    for (const entry of entries) mustBeFree(join(folder, entry));
    makeFolder(folder);
    staging = mkdtempSync(join(folder, '.new-'));
    for (const [file, text] of Object.entries(files)) write(join(staging, file), text);
    for (const entry of entries) moveToNew(join(staging, entry), join(folder, entry));
  } catch (thrown) {
    throw faultOf(thrown, folder, hint);
  } finally {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true });
  }
  return Object.keys(files).map((file) => join(folder, file));
}

function mustBeFree(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw taken(path);
}

function taken(path: string): AgentError {
  return new AgentError('usage.bad-input', `${path} already exists.`, {
    hint: 'Choose another name, or edit the existing files.',
  });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: 'wx' });
}

/**
 * Moves a file or folder without replacing an existing file or non-empty folder, even one that another
 * process has just created.
 */
function moveToNew(from: string, to: string): void {
  try {
    if (lstatSync(from).isDirectory()) renameSync(from, to);
    else linkSync(from, to);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw ['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(code ?? '') ? taken(to) : thrown;
  }
}

function faultOf(thrown: unknown, folder: string, hint: string): AgentError {
  if (thrown instanceof AgentError) return thrown;
  return new AgentError('usage.not-found', `Cannot write ${folder}: ${reasonOf(thrown)}.`, {
    hint,
    cause: thrown,
  });
}
