import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  AgentError,
  isAgentError,
  type CodeCall,
  type CodePlace,
  type CommandResult,
  type ErrorCode,
} from '../../core/index.ts';
import { below, isWithin, realPath } from '../../files/index.ts';
import type { Loss, Printed } from './channel.ts';
import { mostCharacters, mostQuestions, type CodeFailure } from './protocol.ts';

/** What a call was doing when it failed. */
interface CodeTrouble {
  readonly paths: CodePaths;
  readonly call: Pick<CodeCall, 'name' | 'timeoutMs' | 'memoryBytes'>;
}

/** A failure that the process of the code told itself. */
export function codeFault(
  { paths, call }: CodeTrouble,
  why: CodeFailure,
  message: string,
  stack: string,
): AgentError {
  const { file } = paths;
  const said = paths.shorten(message);
  const place = paths.firstIn(stack) ?? paths.firstIn(message) ?? file;
  switch (why) {
    case 'missing':
      return fault(
        'skill.invalid',
        `There is no ${file}.`,
        `Write it: it exports ${call.name}(input, scope).`,
      );
    case 'broken':
      return fault(
        'skill.invalid',
        `${file} cannot be loaded: ${said}${at(place, file)}`,
        hintFor(said, place),
      );
    case 'absent':
      return fault(
        'skill.invalid',
        `${file} exports no function ${call.name}.`,
        `Add to it: export async function ${call.name}(input, scope) { … }`,
      );
    case 'threw':
      return fault('skill.failed', `${file} failed: ${said}${at(place, file)}`, hintFor(said, place));
    case 'not-json':
      return fault(
        'skill.failed',
        `${file} returned something that is not JSON: ${said}.`,
        `Return plain objects, lists, texts, finite numbers, true, false or null from ${call.name}.`,
      );
    case 'large':
      return tooLarge(file, 'returned');
  }
}

/** A process that went while it was called. */
export function lostFault(
  { paths: { file }, call }: CodeTrouble,
  loss: Loss,
  { over, exitCode }: CommandResult,
  stderr: string,
): AgentError {
  if (loss === 'large') return tooLarge(file, 'said');
  if (over === 'memory' || outOfMemory.test(stderr)) {
    const most = Math.round(call.memoryBytes / 2 ** 20);
    return fault(
      'limit.too-large',
      `${file} needed more than ${most} MiB of memory.`,
      'Let it keep less at once, or allow it more memory.',
    );
  }
  if (over === 'processes')
    return fault('limit.too-large', `${file} started too many processes.`, 'Let it start fewer at once.');
  if (loss === 'nonsense')
    return fault(
      'skill.failed',
      `${file} disturbed the process that ran it.`,
      `Look into ${file}: handle 3 is not for it.`,
    );
  return exitCode === null || exitCode > 128
    ? fault('skill.failed', `${file} crashed the process that ran it.`, `Look into ${file}.`)
    : fault(
        'skill.failed',
        `${file} ended its process with exit code ${exitCode} instead of returning.`,
        'Return a value or throw an error, and do not call process.exit().',
      );
}

/** A call that worked for too long. */
export function timeFault({ paths: { file }, call }: CodeTrouble): AgentError {
  return fault(
    'limit.time',
    `${file} took longer than ${call.timeoutMs / 1000} seconds.`,
    'Look for a loop or a promise that does not end, do less, or allow more time.',
  );
}

/** Files that are not those which were asked for. */
export function changedFault({ paths: { file } }: CodeTrouble): AgentError {
  return fault(
    'skill.changed',
    `${file} or what lies around it changed while it was loaded.`,
    'Run it again.',
  );
}

/** A call that asks without end, or more at once than is kept. */
export function askedFault({ paths: { file } }: CodeTrouble, isLarge: boolean): AgentError {
  if (isLarge)
    return fault(
      'limit.too-large',
      `${file} gave its host more to do than it takes from one call, in characters of JSON.`,
      'Give less at once, use a part of it, a summary, or a file.',
    );
  return fault(
    'limit.calls',
    `${file} asked its host more than ${mostQuestions} times in one call.`,
    'Look for a loop.',
  );
}

/** Something that does not fit into a message. */
export function tooLarge(file: string, did: string): AgentError {
  return fault(
    'limit.too-large',
    `${file} ${did} more than ${mostCharacters.toLocaleString('en')} characters of JSON.`,
    'Use a part of it, a summary, or a file.',
  );
}

/** A call that was under way when its runner was closed. */
export function closedCode(): AgentError {
  return new AgentError(
    'sandbox.unavailable',
    'Code of skills is not called any more: its runner is closed.',
  );
}

const mostTold = 2000;

/** A failure with the end of what had been printed, where something had. */
export function withPrinted(thrown: unknown, printed: Pick<Printed, 'stdout' | 'stderr'>): unknown {
  const [stdout, stderr] = [printed.stdout(), printed.stderr()].map((text) => text.slice(-mostTold));
  if (!isAgentError(thrown) || (!stdout && !stderr)) return thrown;
  const { code, message, hint } = thrown;
  return new AgentError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    details: { ...(stdout ? { stdout } : {}), ...(stderr ? { stderr } : {}) },
  });
}

/** What Node and V8 print when there is no memory left. */
export const outOfMemory = /^(?:FATAL ERROR|# Fatal).*(?:out of memory|Allocation failed)/m;

const unreached = /\b(?:fetch failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH)\b/;
const unseen = /\b(?:ENOENT|EROFS|EACCES|EPERM)\b/;

function hintFor(said: string, place: string): string {
  if (said.includes('Access to this API has been restricted'))
    return 'It may start no processes and no threads unless your settings grant it "processes".';
  if (unreached.test(said))
    return 'In its sandbox it reaches only the hosts that your settings grant it under "hosts".';
  if (unseen.test(said))
    return `${lookInto(place)} In its sandbox it reads its own folder and writes nothing, unless your settings grant it "workspace" or "read".`;
  if (said.includes('node_modules') && said.includes('tripping'))
    return 'Ship JavaScript, or put the skill elsewhere: Node strips no types in node_modules.';
  return lookInto(place);
}

function lookInto(place: string): string {
  const [file = place, line] = place.split(':');
  return line === undefined ? `Look into ${file}.` : `Look into ${file}, line ${line}.`;
}

function at(place: string, file: string): string {
  return place === file ? '' : ` (${place})`;
}

function fault(code: ErrorCode, message: string, hint: string): AgentError {
  return new AgentError(code, message, { hint });
}

/** How files of a skill are named to people: as they lie in its folder. */
interface CodePaths {
  /** The module that is called. */
  readonly file: string;
  /** A text without the folders of this machine in which the skill lies. */
  shorten(text: string): string;
  /** The first place in the skill that a stack names, as `src/index.ts:3`. */
  firstIn(stack: string): string | undefined;
}

/** The names of files around a module: from the innermost granted folder that holds it. */
export function findCodePaths({ grant: { read, write } }: CodePlace, module: string): CodePaths {
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
        const place = start === undefined ? undefined : line.slice(line.indexOf(start) + start.length);
        const [, path, number] = /^([^:()]+):(\d+)/.exec(place ?? '') ?? [];
        if (path !== undefined && number !== undefined) return `${path}:${number}`;
      }
      return undefined;
    },
  };
}
