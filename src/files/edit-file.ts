import { createHash } from 'node:crypto';
import { fstatSync, readFileSync } from 'node:fs';
import { AgentError } from '../core/error.ts';
import type { Area } from './area.ts';
import { editBytes, type Change } from './edit-bytes.ts';
import { openFile } from './open-file.ts';
import { writeFile, type WriteOptions } from './write-file.ts';

/** A change of a file, worked out but not made. */
export type EditPlan = {
  readonly shown: string;
  /** Hashes of the whole file: the change is made to the file that was looked at, and once. */
  readonly before: string;
  readonly after: string;
  /** How many places change, and the first line of the first hundred of them. */
  readonly count: number;
  readonly lines: readonly number[];
  /** The changed lines with some around them, numbered. */
  readonly excerpt: string;
};

const mostBytes = 1 << 25;

/** Works out a change; throws when it is not clear what is meant. */
export function planEdit(area: Area, path: string, change: Change): EditPlan {
  const { bytes, shown } = load(area, path);
  const changed = editBytes(bytes, change, shown);
  return {
    ...{ shown, before: hashOf(bytes), after: hashOf(changed.bytes) },
    ...{ count: changed.lines.length, lines: changed.lines.slice(0, 100), excerpt: changed.excerpt },
  };
}

/** Makes a change that was worked out; doing it again does nothing, and a file that others changed is left alone. */
export async function makeEdit(
  area: Area,
  path: string,
  change: Change,
  plan: EditPlan,
  options: WriteOptions = {},
): Promise<void> {
  const { bytes, shown } = load(area, path);
  const found = hashOf(bytes);
  if (found === plan.after) return;
  if (found !== plan.before) {
    throw new AgentError('skill.failed', `"${shown}" was changed by somebody else meanwhile.`, {
      hint: 'Read it again, then edit it.',
    });
  }
  await writeFile(area, path, editBytes(bytes, change, shown).bytes, options);
}

function load(area: Area, path: string): { readonly bytes: Buffer; readonly shown: string } {
  using file = openFile(area, path);
  const { size } = fstatSync(file.handle);
  if (size > mostBytes) {
    const message = `"${file.shown}" has ${size.toLocaleString('en')} bytes; ${mostBytes.toLocaleString('en')} can be edited at most.`;
    throw new AgentError('limit.too-large', message, { hint: 'Use bash with a program for large files.' });
  }
  return { bytes: readFileSync(file.handle), shown: file.shown };
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
