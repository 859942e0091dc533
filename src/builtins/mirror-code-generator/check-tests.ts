import { lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stopOf, withoutFolder, type CheckContext } from './check-programs.ts';
import type { CodeFault } from './check-programs.ts';

const maxShown = 6000; // The maximum number of characters to show from the end of the test output.

/** Runs a skill's tests. Returns undefined if the skill has no tests. */
export async function checkTests(
  { sandbox, folder, signal }: CheckContext,
  timeoutMs: number,
): Promise<readonly CodeFault[] | undefined> {
  const files = testFilesIn(folder);
  if (files.length === 0) return undefined;
  const args = ['--no-warnings', '--test', '--test-reporter=spec', ...files.map(patternFor)];
  const result = await sandbox.run({ program: process.execPath, arguments: args, folder, timeoutMs }, signal);
  const stopped = stopOf(result, timeoutMs);
  if (stopped === undefined && result.exitCode === 0) return [];
  const output = withoutFolder(`${result.stdout}\n${result.stderr}`, folder).trim();
  const what = stopped === undefined ? `The tests failed${firstOf(output)}` : `The test run ${stopped}`;
  return [{ message: `${what}:\n${output.slice(-maxShown)}` }];
}

/**
 * Escapes a file name for Node's test runner. The runner treats its arguments as patterns and silently skips
 * those that match no file.
 */
function patternFor(file: string): string {
  return file.replaceAll(/[[\]{}()*?\\]/g, '?');
}

/**
 * Returns the location, name and failure reason of the first failed test on one line. Takes them from the
 * list of failures at the end of the test output.
 */
function firstOf(output: string): string {
  const list = output.slice(Math.max(0, output.lastIndexOf('✖ failing tests:')));
  const [, location, name = '', rest = ''] = /^test at (.+:\d+):\d+\n✖ (.*)$([^]*)/m.exec(list) ?? [];
  if (location === undefined) return '';
  return ` (${location}: ${name.replace(/ \([\d.]+ms\)$/, '')})${reasonIn(rest)}`;
}

const maxReason = 300;

/** Returns the reason why a test failed: the text between its name and its stack trace. */
function reasonIn(rest: string): string {
  const [head = ''] = rest.split(/\n\s+at |\ntest at /, 1);
  const message = head.replace(/^\s*(?:AssertionError )?\[[A-Z_]+\]: /, '').replace(/\s+/g, ' ');
  return message.trim() === '' ? '' : `: ${message.trim().slice(0, maxReason)}`;
}

/**
 * Returns the test files in the `tests` folder, relative to the skill's folder. These are the files named
 * `*.test.*` or, if there are no such files, all runnable files.
 */
export function testFilesIn(folder: string): readonly string[] {
  const files = runnableIn(join(folder, 'tests')).map((file) => relative(folder, file));
  const named = files.filter((file) => /\.test\.[a-z]+$/.test(file));
  return (named.length === 0 ? files : named).sort();
}

function runnableIn(folder: string): readonly string[] {
  try {
    // Do not follow symbolic links, which could lead outside the skill's folder.
    if (!lstatSync(folder).isDirectory()) return [];
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /^[^.].*\.(?:[cm]?js|m?ts)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !/\/(?:node_modules|fixtures|\.[^/]*)\//.test(file.slice(folder.length)));
  } catch {
    return []; // The `tests` folder does not exist.
  }
}
