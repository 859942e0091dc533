import { globSync, utimesSync } from 'node:fs';
import { call, workspace, type Ended } from './command.ts';
import type { Tree } from './tree.ts';

const plan = `@pages  glob "skills/**/*.md"   # looks for pages
@first  read $pages.files.0 when $pages.files
@last   final_answer "On" $input "there are" $pages.files
`;

const broken = `@a frobnicate $b
@b assign $a
@c ask-usr "Which way?"
@d ask-user "Which way?" optoins=x "a"
@d assign "x
`;

/**
 * Creates a workspace with `plan.sop`, which takes an input, and `broken.sop`, which has five errors and a
 * warning.
 */
export function planFiles(more: Readonly<Record<string, string>> = {}): Tree {
  const files = workspace({ 'plan.sop': plan, 'broken.sop': broken, ...more });
  for (const page of globSync('skills/**/*.md', { cwd: files.path })) utimesSync(files.at(page), 1, 1); // glob sorts by time
  return files;
}

/** Runs `skilled sop` in that workspace. */
export function sopIn(files: Tree, ...args: string[]): Promise<Ended> {
  return call(['sop', ...args, '--cwd', files.path]);
}
