import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Puts a text in the place of a file, whole or not at all, and only returns once the disk has it. */
export function writeWholeFile(file: string, text: string): void {
  const beside = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(beside, text, { flag: 'wx', flush: true });
    renameSync(beside, file);
  } catch (thrown) {
    rmSync(beside, { force: true });
    throw thrown;
  }
  syncFolder(dirname(file));
}

/** Waits until the disk has the names in a folder. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return; // it cannot, and need not
  syncFile(folder);
}

/** Waits until the disk has the bytes of a file. */
export function syncFile(file: string): void {
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
