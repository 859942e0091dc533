import { closeSync, openSync, readSync } from 'node:fs';

/** Whether a file is a program for Node, by its first line or its name. */
export function isNodeScript(file: string): boolean {
  const line = firstLine(file);
  return line.startsWith('#!') ? /[/ ]node(?:\s|$)/.test(line) : /\.[cm]?js$/.test(file);
}

function firstLine(file: string): string {
  try {
    const handle = openSync(file, 'r');
    try {
      const head = Buffer.alloc(128);
      const length = readSync(handle, head, 0, head.length, 0);
      return head.toString('latin1', 0, length).split('\n')[0] ?? '';
    } finally {
      closeSync(handle);
    }
  } catch {
    return ''; // what may be run but not read is no script
  }
}
