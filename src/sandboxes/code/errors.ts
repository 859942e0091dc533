import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  AgentError,
  isAgentError,
  type CodeCall,
  type CodeContext,
  type ProcessResult,
  type ErrorCode,
} from '../../core/index.ts';
import { below, isWithin, realPath } from '../../files/index.ts';
import type { Loss, Printed } from './channel.ts';
import { maxCharacters, maxQuestions, type CodeFailure } from './protocol.ts';

/** A failed call, and the file names for its error message. */
interface CodeTrouble {
  readonly paths: CodePaths;
  readonly call: Pick<CodeCall, 'name' | 'timeoutMs' | 'memoryBytes'>;
}

/** Creates the error for a failure that the code worker reported. */
export function codeFault(
  { paths, call }: CodeTrouble,
  why: CodeFailure,
  message: string,
  stack: string,
): AgentError {
  const { file } = paths;
  const said = paths.shorten(message);
  const location = paths.firstIn(stack) ?? paths.firstIn(message) ?? file;
  switch (why) {
    case 'missing':
      return fault(
        'skill.invalid',
        `${file} does not exist.`,
        `Create the file, and export a function ${call.name}(input, scope) from it.`,
      );
    case 'broken':
      return fault(
        'skill.invalid',
        `${file} cannot be loaded: ${said}${at(location, file)}`,
        hintFor(said, location),
      );
    case 'absent':
      return fault(
        'skill.invalid',
        `${file} does not export a function named ${call.name}.`,
        `Add one: export async function ${call.name}(input, scope) { … }`,
      );
    case 'threw':
      return fault('skill.failed', `${file} failed: ${said}${at(location, file)}`, hintFor(said, location));
    case 'not-json':
      return fault(
        'skill.failed',
        `${file} returned something that is not JSON: ${said}.`,
        `Return plain objects, arrays, strings, finite numbers, true, false or null from ${call.name}.`,
      );
    case 'large':
      return tooLarge(file, 'returned');
  }
}

/** Creates the error for a process that ended unexpectedly during a call. */
export function lostFault(
  { paths: { file }, call }: CodeTrouble,
  loss: Loss,
  { over, exitCode }: ProcessResult,
  stderr: string,
): AgentError {
  if (loss === 'large') return tooLarge(file, 'said');
  if (over === 'memory' || outOfMemory.test(stderr)) {
    const most = Math.round(call.memoryBytes / 2 ** 20);
    return fault(
      'limit.too-large',
      `${file} needed more than ${most} MiB of memory.`,
      'Keep less data in memory at a time, or raise the memory limit.',
    );
  }
  if (over === 'processes')
    return fault('limit.too-large', `${file} started too many processes.`, 'Start fewer processes at once.');
  if (loss === 'nonsense')
    return fault(
      'skill.failed',
      `${file} interfered with the process that ran it.`,
      `Check ${file}: it must not use file descriptor 3.`,
    );
  return exitCode === null || exitCode > 128
    ? fault('skill.failed', `${file} crashed the process that ran it.`, `Check ${file}.`)
    : fault(
        'skill.failed',
        `${file} ended its process with exit code ${exitCode} instead of returning.`,
        'Return a value or throw an error instead of calling process.exit().',
      );
}

/** Creates the error for a call that exceeded its time limit. */
export function timeFault({ paths: { file }, call }: CodeTrouble): AgentError {
  return fault(
    'limit.time',
    `${file} took longer than ${call.timeoutMs / 1000} seconds.`,
    'Look for an endless loop or a promise that never settles, do less work, or raise the time limit.',
  );
}

/** Creates the error for a call whose files changed while they were being loaded. */
export function changedFault({ paths: { file } }: CodeTrouble): AgentError {
  return fault(
    'skill.changed',
    `${file} or a related file changed while it was being loaded.`,
    'Run it again.',
  );
}

/** Creates the error for a call that sends too many requests or too much data to its host. */
export function askedFault({ paths: { file } }: CodeTrouble, isLarge: boolean): AgentError {
  if (isLarge)
    return fault(
      'limit.too-large',
      `${file} passed more JSON to its host than one call allows.`,
      'Pass less data per call, such as a part, a summary or a file.',
    );
  return fault(
    'limit.calls',
    `${file} called its host more than ${maxQuestions} times in one call.`,
    'Look for a loop.',
  );
}

/** Creates the error for a value too large for a message. */
export function tooLarge(file: string, did: string): AgentError {
  return fault(
    'limit.too-large',
    `${file} ${did} more than ${maxCharacters.toLocaleString('en')} characters of JSON.`,
    'Use only part of the data, a summary or a file.',
  );
}

/** Creates the error for a call that was running when its runner was closed. */
export function closedCode(): AgentError {
  return new AgentError('sandbox.unavailable', 'The code runner is closed and accepts no more calls.');
}

const maxPrinted = 2000; // The maximum number of characters per stream.

/** Adds the end of the printed output, if any, to an error's details. */
export function withPrinted(thrown: unknown, printed: Pick<Printed, 'stdout' | 'stderr'>): unknown {
  const [stdout, stderr] = [printed.stdout(maxPrinted), printed.stderr(maxPrinted)];
  if (!isAgentError(thrown) || (!stdout && !stderr)) return thrown;
  const { code, message, hint } = thrown;
  return new AgentError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    details: { ...(stdout ? { stdout } : {}), ...(stderr ? { stderr } : {}) },
  });
}

/** Matches the messages that Node and V8 print when they run out of memory. */
export const outOfMemory = /^(?:FATAL ERROR|# Fatal).*(?:out of memory|Allocation failed)/m;

const unreached = /\b(?:fetch failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH)\b/;
const unseen = /\b(?:ENOENT|EROFS|EACCES|EPERM)\b/;

function hintFor(said: string, location: string): string {
  if (said.includes('Access to this API has been restricted'))
    return 'The skill cannot start processes or threads unless your settings grant it "processes".';
  if (unreached.test(said))
    return 'In its sandbox, the skill can reach only the hosts that your settings grant under "hosts".';
  if (unseen.test(said))
    return `${lookInto(location)} In its sandbox, the skill can read only its own folder and cannot write files, unless your settings grant it "workspace" or "read".`;
  if (said.includes('node_modules') && said.includes('tripping'))
    return 'Ship JavaScript, or move the skill: Node does not strip types in node_modules.';
  return lookInto(location);
}

function lookInto(location: string): string {
  const [file = location, line] = location.split(':');
  return line === undefined ? `Check ${file}.` : `Check ${file}, line ${line}.`;
}

function at(location: string, file: string): string {
  return location === file ? '' : ` (${location})`;
}

function fault(code: ErrorCode, message: string, hint: string): AgentError {
  return new AgentError(code, message, { hint });
}

/** The short file names for error messages about one skill. */
interface CodePaths {
  /** The short file name of the called module. */
  readonly file: string;
  /** Removes the path of the skill's folder from a text. */
  shorten(text: string): string;
  /** Returns the first location in the skill that a stack trace names, such as `src/index.ts:3`. */
  firstIn(stack: string): string | undefined;
}

/**
 * Creates short file names for the skill of a module. They are relative to the innermost granted folder that
 * contains the module.
 */
export function findCodePaths({ grant: { read, write } }: CodeContext, module: string): CodePaths {
  const around = [...read, ...write].filter((folder) => isWithin(module, folder));
  const folder = around.toSorted((one, other) => other.length - one.length)[0] ?? dirname(module);
  const folders = [...new Set([folder, realPath(folder)])];
  const starts = folders.flatMap((one) => [`${pathToFileURL(one).href}/`, `file://${one}/`, `${one}/`]);
  return {
    file: below(folder, module) || basename(module),
    shorten: (text) => starts.reduce((shorter, start) => shorter.replaceAll(start, ''), text),
    firstIn(stack) {
      for (const line of stack.split('\n')) {
        const start = starts.find((one) => line.includes(one));
        const location = start === undefined ? undefined : line.slice(line.indexOf(start) + start.length);
        const [, path, number] = /^([^:()]+):(\d+)/.exec(location ?? '') ?? [];
        if (path !== undefined && number !== undefined) return `${path}:${number}`;
      }
      return undefined;
    },
  };
}
