import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const deepest = 500; // the maximum number of awaited calls that the debugger records

/** A function on the call stack, defined in a file below `src`. */
export interface Passed {
  readonly file: string;
  readonly name: string;
}

interface Location {
  readonly url: string;
  readonly functionName: string;
  /** The location in the script. Used when `url` is empty, because running functions have no URL. */
  readonly location?: { readonly scriptId: string };
}

interface AsyncStack {
  readonly callFrames: readonly Location[];
  readonly parent?: AsyncStack;
}

type Message =
  | {
      readonly method: 'Debugger.paused';
      readonly params: AsyncStack & { readonly asyncStackTrace?: AsyncStack };
    }
  | {
      readonly method: 'Debugger.scriptParsed';
      readonly params: { readonly scriptId: string; readonly url: string };
    }
  | {
      readonly method: 'Runtime.executionContextDestroyed';
      readonly params: { readonly executionContextId: number };
    };

/**
 * Runs a request in the example workshop of a checkout under the debugger. Returns the deepest call stack at
 * which a family starts to execute a skill, outermost function first.
 */
export async function recordCallStack(project: string, request: string): Promise<readonly Passed[]> {
  const stacks = await record(project, request);
  return stacks.reduce((one, other) => (other.length > one.length ? other : one), []);
}

async function record(project: string, request: string): Promise<readonly (readonly Passed[])[]> {
  const workshop = path.join(project, 'examples', 'workshop');
  const store = mkdtempSync(path.join(tmpdir(), 'skilled-stack-'));
  const args = [
    'run',
    request,
    '--cwd',
    workshop,
    '--skills',
    path.join(workshop, 'skills'),
    '--only',
    '--yes',
  ];
  const child = spawn(
    process.execPath,
    ['--inspect-brk=127.0.0.1:0', path.join(project, 'src/cli/main.ts'), ...args],
    {
      env: {
        ...process.env,
        SKILLED_STORE: path.join(store, 'runs.db'),
        SKILLED_DATABASE: path.join(store, 'tables.db'),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  try {
    return await collect(project, await addressOf(child.stderr));
  } finally {
    child.kill();
    rmSync(store, { recursive: true, force: true });
  }
}

function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const address = /ws:\S+/.exec(text)?.[0];
    if (address !== undefined) resolve(address);
  });
  return promise;
}

async function collect(project: string, address: string): Promise<readonly (readonly Passed[])[]> {
  const socket = new WebSocket(address);
  const stacks: (readonly Passed[])[] = [];
  const ended = Promise.withResolvers<undefined>();
  let sent = 0;
  const send = (method: string, params: object = {}): void => {
    socket.send(JSON.stringify({ id: ++sent, method, params }));
  };
  const scripts = new Map<string, string>();
  socket.addEventListener('message', ({ data }) => {
    const { method, params } = JSON.parse(String(data)) as Message;
    if (method === 'Runtime.executionContextDestroyed' && params.executionContextId === 1)
      ended.resolve(undefined);
    if (method === 'Debugger.scriptParsed') scripts.set(params.scriptId, params.url);
    if (method !== 'Debugger.paused') return;
    const frames = params.callFrames.map((frame) => ({
      ...frame,
      url: scripts.get(frame.location?.scriptId ?? '') ?? '',
    }));
    stacks.push(passedIn(project, frames, params.asyncStackTrace));
    send('Debugger.resume');
  });
  socket.addEventListener('close', () => {
    ended.resolve(undefined);
  });
  await new Promise((resolve) => {
    socket.addEventListener('open', resolve, { once: true });
  });
  send('Runtime.enable');
  send('Debugger.enable');
  send('Debugger.setAsyncCallStackDepth', { maxDepth: deepest });
  for (const { file, line } of executions(project))
    send('Debugger.setBreakpointByUrl', { url: pathToFileURL(file).href, lineNumber: line });
  send('Runtime.runIfWaitingForDebugger');
  await ended.promise;
  socket.close();
  return stacks;
}

/** Returns the line of each family's `execute` function, counted from 0. */
function executions(project: string): readonly { readonly file: string; readonly line: number }[] {
  return globSync(path.join(project, 'src/families/*/{execute,index}.ts')).flatMap((file) => {
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .findIndex((text) => /^(export )?async function execute\(/.test(text));
    return line < 0 ? [] : [{ file, line }];
  });
}

function passedIn(
  project: string,
  frames: readonly Location[],
  above: AsyncStack | undefined,
): readonly Passed[] {
  const locations = [...frames];
  for (let stack = above; stack !== undefined; stack = stack.parent) locations.push(...stack.callFrames);
  const source = `${pathToFileURL(path.join(project, 'src')).href}/`;
  return locations
    .filter(({ url }) => url.startsWith(source))
    .map(({ url, functionName }) => ({ file: url.slice(source.length), name: functionName }))
    .reverse();
}
