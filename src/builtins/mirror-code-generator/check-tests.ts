import { lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stopOf, withoutPlace, type CheckPlace } from './check-programs.ts';
import type { CodeFault } from './check-programs.ts';

const mostShown = 6000; // characters of the end of their output

/** What the tests of a skill say about its code; undefined where it has none. */
export async function checkTests(
  { sandbox, folder, signal }: CheckPlace,
  timeoutMs: number,
): Promise<readonly CodeFault[] | undefined> {
  const files = testFilesIn(folder);
  if (files.length === 0) return undefined;
  const words = ['--no-warnings', '--test', '--test-reporter=spec', ...files.map(patternFor)];
  const result = await sandbox.run(
    { program: process.execPath, arguments: words, folder, timeoutMs },
    signal,
  );
  const stopped = stopOf(result, timeoutMs);
  if (stopped === undefined && result.exitCode === 0) return [];
  const output = withoutPlace(`${result.stdout}\n${result.stderr}`, folder).trim();
  const what = stopped === undefined ? `The tests fail${firstOf(output)}` : `The run of the tests ${stopped}`;
  return [{ message: `${what}:\n${output.slice(-mostShown)}` }];
}

/** A file for Node, which takes what it is given for patterns and leaves out in silence what matches none. */
function patternFor(file: string): string {
  return file.replaceAll(/[[\]{}()*?\\]/g, '?');
}

/** Which test failed first, where and why, on one line, as the list at the end of the output has it. */
function firstOf(output: string): string {
  const list = output.slice(Math.max(0, output.lastIndexOf('✖ failing tests:')));
  const [, place, name = '', rest = ''] = /^test at (.+:\d+):\d+\n✖ (.*)$([^]*)/m.exec(list) ?? [];
  if (place === undefined) return '';
  return ` (${place}: ${name.replace(/ \([\d.]+ms\)$/, '')})${reasonIn(rest)}`;
}

const mostReason = 300;

/** What stands between the name of a test and the stack. */
function reasonIn(rest: string): string {
  const [told = ''] = rest.split(/\n\s+at |\ntest at /, 1);
  const words = told.replace(/^\s*(?:AssertionError )?\[[A-Z_]+\]: /, '').replace(/\s+/g, ' ');
  return words.trim() === '' ? '' : `: ${words.trim().slice(0, mostReason)}`;
}

/** The tests in the folder `tests`, from the folder of the skill: those that are named so, else whatever can be run. */
export function testFilesIn(folder: string): readonly string[] {
  const files = runnableIn(join(folder, 'tests')).map((file) => relative(folder, file));
  const named = files.filter((file) => /\.test\.[a-z]+$/.test(file));
  return (named.length === 0 ? files : named).sort();
}

function runnableIn(folder: string): readonly string[] {
  try {
    if (!lstatSync(folder).isDirectory()) return []; // a link leads out of what is checked
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /^[^.].*\.(?:[cm]?js|m?ts)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !/\/(?:node_modules|fixtures|\.[^/]*)\//.test(file.slice(folder.length)));
  } catch {
    return []; // there is no such folder
  }
}
