import { readdirSync, readFileSync, statSync } from 'node:fs';

/** Walks a folder and reads every Markdown file as text. This is the baseline for discovery. */
export function readAll(dir: string): number {
  let length = 0;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory()) length += readAll(path);
    else if (/\.md$/i.test(entry.name)) length += readFileSync(path, 'utf8').length;
  }
  return length;
}

/** Walks a folder and calls `stat` on every file. This is the baseline for a warm start. */
export function statAll(dir: string): number {
  let size = 0;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = `${dir}/${entry.name}`;
    size += entry.isDirectory() ? statAll(path) : statSync(path).size;
  }
  return size;
}
